/** Millionths of a unit in its hundredth and in its ten-thousandth. */
const HUNDREDTH = 10_000n;
const TEN_THOUSANDTH = 100n;

/**
 * Money for people: `1.00`, or with four places where two would hide something; less than the last place is `<0.0001`. Whole
 * numbers all the way, rounded half up; the currency is whatever the prices were written in.
 */
export function moneyText(micros: number): string {
  const exact = BigInt(micros);
  const sign = exact < 0n ? "-" : "";
  const amount = exact < 0n ? -exact : exact;
  if (amount > 0n && amount < TEN_THOUSANDTH / 2n) return `${sign}<0.0001`;
  if (amount % HUNDREDTH === 0n) return sign + withPlaces(amount / HUNDREDTH, 2);
  return sign + withPlaces((amount + TEN_THOUSANDTH / 2n) / TEN_THOUSANDTH, 4);
}

function withPlaces(amount: bigint, places: number): string {
  const digits = amount.toString().padStart(places + 1, "0");
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`;
}
