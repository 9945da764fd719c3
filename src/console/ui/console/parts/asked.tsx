import type { JSX } from "preact";
import type { House } from "../state/house.ts";
import { ForgetDialog } from "./forget-dialog.tsx";
import { HaltDialog } from "./halt-dialog.tsx";
import { LinesDialog } from "./lines-dialog.tsx";
import { PauseDialog } from "./pause-dialog.tsx";
import { BlockDialog, TrustDialog } from "./trust-dialogs.tsx";
import { UnscheduleDialog } from "./unschedule-dialog.tsx";

/** The question that stands over the page; none most of the time. */
export function Asked({ house }: { readonly house: House }): JSX.Element | null {
  const ask = house.ask.value;
  switch (ask?.kind) {
    case "pause":
      return <PauseDialog house={house} />;
    case "halt":
      return <HaltDialog house={house} />;
    case "unschedule":
      return <UnscheduleDialog house={house} schedule={ask.schedule} />;
    case "trust":
    case "untrust":
    case "unblock":
      return <TrustDialog house={house} person={ask.person} change={ask.kind} />;
    case "block":
      return <BlockDialog house={house} person={ask.person} />;
    case "forget":
      return <ForgetDialog house={house} person={ask.person} />;
    case "lines":
      return <LinesDialog house={house} person={ask.person} character={ask.character} />;
    case undefined:
      return null;
  }
}
