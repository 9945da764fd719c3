import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { Addressable } from "./addressed.ts";
import type { GreetingRule } from "./greeting.ts";
import type { AdmissionMode, BotsMode } from "./judge.ts";

/** Who is in a space, and whom it answers. What may be left out has the standard of the contract. */
export interface AdmissionSpace {
  readonly mode: AdmissionMode;
  /** The configuration key that set the mode. */
  readonly key: string;
  readonly present: readonly Addressable[];
  readonly keepsAmbient: boolean;
  /** Which bots are answered; none when left out. */
  readonly bots?: BotsMode;
  /** Rounds without a person before a place goes silent. */
  readonly rounds?: number;
  readonly everyoneIsMention?: boolean;
  /** Absent where a greeting needs a name. */
  readonly greeting?: GreetingRule;
  /** Names of the people here, as the platform shows them. */
  readonly people?: () => readonly string[];
  /** How private lines admit; everybody's when left out. */
  readonly direct?: { readonly mode: AdmissionMode; readonly key: string };
  /** By which marks a character is addressed; by words too when left out. */
  readonly addressing?: "words" | "platform";
  /** Whether somebody is answered here beside operators and trusted people; nobody when left out. */
  readonly allows?: (event: Pick<InboundEvent, "sender" | "place">) => boolean;
  /** Whether moderators of this place's server block a guest here; nobody is when left out. */
  readonly bars?: (person: InboundEvent["sender"]["principal"]) => boolean;
  /** Whether replies here wait until somebody says yes to them; they do not when left out. */
  readonly holds?: boolean;
  /** A limit of calls that holds here beside the budgets. */
  readonly calls?: CallsLimit;
  /** Where the replies of a minute are counted, if the surface has many rooms. */
  readonly room?: string;
}

/** A limit of model calls a day that a place has beside the budgets; `scope` names its counter. */
export interface CallsLimit {
  readonly scope: string;
  readonly perDay: number;
  readonly key: string;
}
