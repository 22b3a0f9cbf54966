"""Names in scripts without capitals or spaces: what stands in brackets or is set off by its own letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from contextmesh.ingest.words import word_set

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〆"
_KATAKANA = r"\u30a1-\u30faー"
_HIRAGANA = r"\u3041-\u309f"
_HANGUL = r"\uac00-\ud7a3"
_BRACKETED = re.compile(r"[「『《〈【“]([^「」『』《》〈〉【】“”。！？]{2,24})[」』》〉】”]")
_RUN = re.compile(rf"[{_HAN}{_KATAKANA}A-Za-z0-9_・-]*[{_HAN}{_KATAKANA}][{_HAN}{_KATAKANA}A-Za-z0-9_・-]*")
_CJK = re.compile(rf"[{_HAN}{_KATAKANA}{_HIRAGANA}{_HANGUL}]")
_PARTICLE = re.compile(r"(?:は|が|を|の|に|で|と|も|へ|から|まで|、|，|。|」|）|\s|$)")
_CHINESE_SMALL = re.compile(r"[的了是在和与及有不这那为以而被把就也都将从对等并或之其个们于由向到会能可要我你他她它]")
_WHEN_AND_WHO = word_set(
    """
    今日 昨日 明日 今年 昨年 来年 今回 前回 次回 最初 最後 全部 全体 一部 場合 自分 私達 彼女 以上 以下
    必要 可能 重要 現在 当時 同時 結果 理由 問題 方法 内容 目的 使用 利用 対応 確認 変更 我们 他们 因为
    所以 但是 如果 可以 没有 一个 这个 那个
    """
)


def has_cjk(text: str) -> bool:
    """Whether a text holds Han signs, kana or Hangul."""
    return _CJK.search(text) is not None


def other_script_names(text: str) -> Iterator[tuple[str, int, int]]:
    """Bracketed names, and runs of Han signs or katakana between particles, with half-open ranges."""
    if not _CJK.search(text):
        return
    for match in _BRACKETED.finditer(text):
        if _CJK.search(match[1]):
            yield match[1], match.start(1), match.end(1)
    if re.search(f"[{_HIRAGANA}]", text):
        for match in _RUN.finditer(text):
            if _is_japanese_name(match[0]) and _PARTICLE.match(text, match.end()):
                yield match[0], match.start(), match.end()


def repeated_han(texts: Iterable[str], *, least: int = 2) -> dict[str, int]:
    """Runs of Han signs that a Chinese text keeps using, with how often; none inside a longer one of equal count."""
    counts: dict[str, int] = {}
    for text in texts:
        if re.search(f"[{_HIRAGANA}]", text):
            continue
        for run in re.findall(f"[{_HAN}]{{2,}}", text):
            for chunk in _CHINESE_SMALL.split(run):
                for size in range(2, min(len(chunk), 8) + 1):
                    for at in range(len(chunk) - size + 1):
                        gram = chunk[at : at + size]
                        counts[gram] = counts.get(gram, 0) + 1
    often = {
        gram: n
        for gram, n in counts.items()
        if n >= (least if len(gram) > 2 else least + 1) and gram not in _WHEN_AND_WHO
    }
    return {
        g: n for g, n in often.items() if not any(g != other and g in other and often[other] >= n for other in often)
    }


def _is_japanese_name(run: str) -> bool:
    letters = run.strip("-_・")
    if letters in _WHEN_AND_WHO or letters[:1].isdigit():
        return False
    if re.fullmatch(f"[{_KATAKANA}・]+", letters):
        return len(letters) >= 3
    return len(letters) >= 3
