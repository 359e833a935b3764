/** Handles `POST /messages/count_tokens`: estimates the tokens of a conversation without calling a provider. */
import { operations } from '../../contract/operations.ts';
import { defineRoute } from '../http/route.ts';
import { toLiveCall } from './to-live-call.ts';

export const countMessageTokens = defineRoute(operations.countMessageTokens, async (call, { services }) => {
  const tokens = await services.messages.countTokens(toLiveCall(call));
  const { context_management: edits } = call.body;
  const context_management = edits ? { original_input_tokens: tokens } : undefined;
  return {
    status: 200,
    headers: { 'Sluice-Token-Count': 'estimated' },
    body: { input_tokens: tokens, ...(context_management && { context_management }) },
  };
});
