import { describe, expect, test } from '@jest/globals';
import { readMessagesPrompt } from '../../../services/live/messages/messages-prompt.ts';
import { type PromptFacts, readPrompt, readResponsesPrompt } from '../../../services/live/prompt-facts.ts';

/** Three hundred bytes. */
const BASE64 = 'A'.repeat(400);

const ofChat = (file: object): PromptFacts =>
  readPrompt(
    [
      {
        content: [
          { type: 'text', text: 'Read' },
          { type: 'file', file },
        ],
      },
    ],
    undefined,
  );
const ofResponses = (fields: object): PromptFacts =>
  readResponsesPrompt([{ content: [{ type: 'input_file', ...fields }] }], undefined, undefined);
const ofMessages = (source: object): PromptFacts =>
  readMessagesPrompt([{ content: [{ type: 'document', source }] }], undefined, undefined);

describe('a file in a prompt', () => {
  test.each<[string, PromptFacts, number]>([
    ['a chat', ofChat({ file_data: BASE64 }), 75],
    ['a chat, by a URL', ofChat({ file_data: 'https://files.example/a.pdf' }), Infinity],
    ['a chat, by an id', ofChat({ file_id: 'file-1' }), Infinity],
    ['a responses request', ofResponses({ file_data: BASE64 }), 75],
    ['a responses request, by a URL', ofResponses({ file_url: 'https://files.example/a.pdf' }), Infinity],
    ['a message', ofMessages({ type: 'base64', data: BASE64 }), 75],
    ['a message, by a URL', ofMessages({ type: 'url', url: 'https://files.example/a.pdf' }), Infinity],
  ])('of %s counts a quarter of its bytes in tokens', (_, { files, fileTokens, modalities }, tokens) => {
    expect([files, fileTokens, modalities]).toEqual([1, tokens, ['text', 'file']]);
  });

  test.each<[string, object]>([
    ['text', { type: 'text', data: 'abcd'.repeat(100) }],
    ['blocks', { type: 'content', content: [{ type: 'text', text: 'abcd'.repeat(100) }] }],
  ])('of a message counts its words where it is %s', (_, source) => {
    const { estimatedTokens, files, fileTokens } = ofMessages(source);
    expect([estimatedTokens, files, fileTokens]).toEqual([104, 0, 0]);
  });
});

test('media with a text beside them count as media too', () => {
  const file = { type: 'file', text: '', file: { file_data: BASE64 } };
  const image = { type: 'image_url', text: 'abcd', image_url: { url: 'data:,' } };
  const { estimatedTokens, fileTokens, images } = readPrompt([{ content: [file, image] }], undefined);
  expect([estimatedTokens, fileTokens, images]).toEqual([2_005, 75, 1]);
});
