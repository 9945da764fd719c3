// Taken before anything else could replace them.
const { parse } = JSON;
const { entries, create, defineProperty, getPrototypeOf, setPrototypeOf, prototype } = Object;
const { isArray } = Array;

/**
 * Read JSON into values without a prototype: nothing that stands on `Object.prototype`, now or later, is a field of them (SE-092).
 * @throws SyntaxError for what is no JSON.
 */
export function parseBareJson(text: string): unknown {
  return bare(parse(text));
}

/** Take the prototype off fresh plain objects and lists' members, so that only what was read is a field of them. */
export function stripPrototypes<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) for (const one of value) stripPrototypes<unknown>(one);
  else if (getPrototypeOf(value) === prototype) {
    setPrototypeOf(value, null);
    for (const [, field] of entries(value) as [string, unknown][]) stripPrototypes(field);
  }
  return value;
}

function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (isArray(value)) return value.map(bare);
  const copy: unknown = create(null);
  for (const [key, field] of entries(value) as [string, unknown][])
    defineProperty(copy, key, { value: bare(field), enumerable: true, writable: true, configurable: true });
  return copy;
}
