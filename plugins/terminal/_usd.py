"""Money."""


def usd(value: float) -> str:
    """Return an amount of USD in words: with cents, or with six places where it is under a dollar."""
    return f"{value:,.2f} USD" if value >= 1 else f"{value:.6f} USD"
