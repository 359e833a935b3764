import { expect, test } from '@jest/globals';
import { valuesOf } from '../../../../services/endpoints/validation/parameter-values.ts';

test('max_completion_tokens takes the place of max_tokens when both are declared', () => {
  expect(Object.keys(valuesOf(['max_completion_tokens', 'max_tokens']))).toEqual(['max_completion_tokens']);
});

test.each([[['structured_outputs', 'response_format']], [['response_format', 'structured_outputs']]])(
  'the declared parameters %j yield a JSON schema',
  (declared) => {
    expect(valuesOf(declared)).toMatchObject({ response_format: { type: 'json_schema' } });
  },
);

test.each(['tool_choice', 'parallel_tool_calls', 'tools'])(
  'the declared parameter %s yields a tool',
  (name) => {
    expect(valuesOf([name])).toMatchObject({ tools: [{ type: 'function' }] });
  },
);

test('the declared parameter top_logprobs yields logprobs too', () => {
  expect(valuesOf(['top_logprobs'])).toEqual({ logprobs: true, top_logprobs: 1 });
});

test.each(['acme_knob', 'constructor', '__proto__'])('the unknown parameter %s yields nothing', (name) => {
  expect(valuesOf([name])).toEqual({});
});
