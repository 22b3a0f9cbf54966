"""Benchmarks: what a job costs here, beside other engines and hand-written Python, in the same run.

python -m bench                         programs and graph jobs, as tables
python -m bench programs --sizes 1000   one family, sizes up to 1000
python -m bench graph --json            machine-readable
python -m bench agree --seconds 60      evaluators against each other, with counts
"""
