/** 128 random bits as an id for a line. `randomUUID` is missing where the room is reached over plain HTTP. */
export function freshId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
