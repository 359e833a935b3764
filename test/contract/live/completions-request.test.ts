import { describe, expect, test } from '@jest/globals';
import { completionsRequest } from '../../../contract/live/completions-request.ts';
import { describeIssue, issuesOf } from '../../../contract/issues.ts';

function issuesFor(fields: object): string[] {
  const body = { model: 'a/b', prompt: 'Once', ...fields };
  const { error } = completionsRequest.safeParse(body, { error: describeIssue });
  return error === undefined ? [] : issuesOf('body', error).map(({ path, message }) => `${path} ${message}`);
}

describe('a completions request', () => {
  test.each<[string, object]>([
    ['a text', {}],
    ['an empty text', { prompt: '' }],
    ['a list of one text', { prompt: ['Once'] }],
    ['values that change nothing', { suffix: '', echo: false, best_of: 1, logprobs: 0, tools: [] }],
    ['nulls', { suffix: null, echo: null, best_of: null, logprobs: null, messages: null, n: null }],
    ['as many to choose from as are returned', { best_of: 3, n: 3 }],
    ['fields that nobody named', { min_tokens: 4 }],
  ])('accepts %s', (_what, fields) => {
    expect(issuesFor(fields)).toEqual([]);
  });

  test.each<[string, object, string]>([
    ['no prompt', { prompt: undefined }, 'prompt is required'],
    ['a number as prompt', { prompt: 5 }, 'prompt must be a text'],
    ['an empty list', { prompt: [] }, 'prompt must be one text: send a request for each prompt'],
    ['tokens', { prompt: [1, 2] }, 'prompt must be a text: a chat model cannot be sent tokens'],
    ['lists of tokens', { prompt: [[1], [2]] }, 'prompt must be a text: a chat model cannot be sent tokens'],
    ['several prompts', { prompt: ['a', 'b'] }, 'prompt must be one text: send a request for each prompt'],
    [
      'a suffix',
      { suffix: ' end' },
      'suffix cannot be done by chat models: describe the text that follows in the prompt',
    ],
    ['an echo', { echo: true }, 'echo must be false: chat models do not repeat the prompt'],
    [
      'more to choose from',
      { best_of: 2 },
      'best_of must be 1, or as many as n: every answer that is made is returned',
    ],
    ['logprobs', { logprobs: 2 }, 'logprobs must be 0: use POST /chat/completions for logprobs'],
    [
      'a conversation',
      { messages: [{}] },
      'messages is not supported by this operation: send prompt, or use POST /chat/completions',
    ],
    ['tools', { tools: [{}] }, 'tools is not supported by this operation: use POST /chat/completions'],
    ['129 answers', { n: 129 }, 'n must be at most 128'],
  ])('refuses %s with the reason', (_what, fields, issue) => {
    expect(issuesFor(fields)).toEqual([`body.${issue}`]);
  });
});
