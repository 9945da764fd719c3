import { parseApprovalId } from "../../../vocabulary/ids.ts";
import type { WaitingQuestion } from "../../questions.ts";
import type { Row } from "./columns.ts";
import { numberIn, textIn } from "./columns.ts";

/** The questions of one person on one line. `state = 'pending'` is what the index of waiting ones says of itself. */
export const OPEN_QUESTIONS = `select approval.id, approval.digest, approval.created_at_ms from approval
  join inbox on inbox.n = approval.inbox join place on place.n = inbox.place
  where approval.state = 'pending' and approval.person = :person and place.id = :place and approval.expires_at_ms > :nowMs
  order by approval.created_at_ms, approval.id limit 8`;

/** A row of {@link OPEN_QUESTIONS}. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function readQuestion(row: Row): WaitingQuestion {
  return { approval: parseApprovalId(textIn(row, "id")), digest: textIn(row, "digest"), askedAtMs: numberIn(row, "created_at_ms") };
}
