/** Serializes large answers early, so that they are in memory once. */
import { ReadyJson } from '../../../platform/ready-json.ts';
import type { LiveCall } from '../live-call.ts';
import type { WholeAnswer } from './live-operation.ts';

/**
 * Serializes a large answer before its row is written. Its objects may take many times the memory of its JSON, and the
 * ledger and a slow reader may keep it for long.
 */
export function serializedIfLarge<Result>(
  whole: WholeAnswer<Result>,
  { answer }: Pick<LiveCall<unknown>, 'answer'>,
): WholeAnswer<Result | ReadyJson> {
  if (!answer.isLarge) return whole;
  const json = new ReadyJson([Buffer.from(JSON.stringify(whole.show()))]);
  return { billed: whole.billed, show: () => json };
}
