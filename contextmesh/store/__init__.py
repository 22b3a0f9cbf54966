"""Facts, transactions, receipts: records beside the rule base."""
