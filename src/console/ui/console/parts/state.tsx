import type { JSX } from "preact";
import { Lamp } from "../../parts/lamp.tsx";
import type { StateLook } from "../words/health-words.ts";

/** A state: its lamp, and its name. */
export function State({ look, name }: { readonly look: StateLook; readonly name: string }): JSX.Element {
  return (
    <span class={look.tone === "plain" ? "state" : `state state--${look.tone}`}>
      <Lamp shape={look.lamp} /> {name}
    </span>
  );
}
