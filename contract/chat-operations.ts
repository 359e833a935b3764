import { createChatCompletion } from './chat.ts';
import { createCompletion } from './completions.ts';

/** The operations on a chat in OpenAI's two older dialects. */
export const chatOperations = { createChatCompletion, createCompletion };
