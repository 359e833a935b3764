/** Bills a whole answer in the Responses dialect, and presents it to the caller. */
import type { DialectObject } from '../../../providers/dialect-adapter.ts';
import type { OpenGeneration } from '../generation.ts';
import type { Answered, WholeAnswer } from '../pipeline/live-operation.ts';
import { billText } from '../pipeline/text-bill.ts';
import { showUsage } from '../token-usage.ts';
import type { ReadResponse } from './responses-body.ts';
import { draftResponse } from './responses-draft.ts';
import { meterOf } from './responses-meter.ts';
import { presentResponsesUsage, stampOf, stampResponse } from './shown-response.ts';

/** Bills an upstream's whole response and presents it. */
export function endResponse(
  open: OpenGeneration,
  read: ReadResponse,
  answered: Answered<DialectObject>,
): WholeAnswer<DialectObject> {
  const { target, answer: response } = answered;
  if (open.draft !== null) draftResponse(open.draft, response);
  const meter = meterOf(response);
  const { usage, cost, billed } = billText(target, read.promptAt(target), meter, undefined);
  return {
    billed,
    show: () => ({
      ...stampResponse(response, stampOf(open, read, answered)),
      usage: presentResponsesUsage(showUsage(usage, cost, meter.counted, target)),
    }),
  };
}
