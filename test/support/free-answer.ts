import type { AnswerInFlight } from '../../platform/answers-in-flight.ts';
import { AnswerAllowance } from '../../providers/answer-allowance.ts';

const MIB = 1024 ** 2;

/** The memory of an answer that nothing else competes for. */
export function freeMemory(): AnswerInFlight {
  return {
    limits: { maxTextBytes: 16 * MIB, maxEventBytes: MIB, maxMediaBytes: 64 * MIB },
    isLarge: false,
    add: () => {},
    room: () => undefined,
  };
}

/** What an adapter may receive when nothing else uses memory. */
export function freeAnswer(hasMedia = false): AnswerAllowance {
  return new AnswerAllowance(freeMemory(), hasMedia);
}
