/** Billions of parameters at work up to which a model counts as small. */
const SMALL = 32;

/**
 * Whether a model's name says that it is a small one: at most 32 billion parameters at work for a token, of several experts only those
 * (`30b-a3b`, `8x7b`). A name that says no size is of none.
 */
export function isSmallModel(name: string): boolean {
  const active = /(?<![a-z0-9.])a(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(name)?.[1];
  const experts = /(?<![a-z0-9.])\d+x(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(name)?.[1];
  const whole = /(?<![a-z0-9.])(\d+(?:\.\d+)?)b(?![a-z0-9])/i.exec(name)?.[1];
  const size = active ?? experts ?? whole;
  return size !== undefined && Number(size) <= SMALL;
}
