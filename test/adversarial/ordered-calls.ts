/** A call as {@link orderedCalls} finds it in a text. */
export function callOf(tool: string, words: string): string {
  return `${tool} {"text":"${words}"}`;
}

/** Every call that a text names: what a model asks for that does whatever it reads. */
export function orderedCalls(text: string): readonly { readonly name: string; readonly arguments: string }[] {
  return [...text.matchAll(/\b([a-z]+) (\{"text":"[^"]*"\})/gu)].flatMap(([, name, args]) =>
    name === undefined || args === undefined ? [] : [{ name, arguments: args }],
  );
}
