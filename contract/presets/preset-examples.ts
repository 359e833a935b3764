/** Provides the API reference with examples of presets, their versions and the requests that create and change them. */

const ID = '7d2f0a6b-5a0e-4c0c-9a44-8d4b6f4f1a52';
const VERSION_ID = 'c1b6b1e0-70f5-4f1b-8a3e-5a52f6f6a0d1';
const TIME = '2026-01-01T00:00:00.000Z';
const USER = 'user_2b8XQ1mZr7KcW4tYp0LdVn3E';
const PROMPT = 'You are a senior code reviewer.';

export const preset = {
  id: ID,
  slug: 'code-reviewer',
  name: 'code-reviewer',
  description: null,
  status: 'active',
  status_updated_at: null,
  designated_version_id: VERSION_ID,
  creator_user_id: USER,
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  created_at: TIME,
  updated_at: TIME,
};

export const presetVersion = {
  id: VERSION_ID,
  preset_id: ID,
  version: 1,
  config: { model: 'local/echo-1', max_tokens: 1024, temperature: 0.2 },
  system_prompt: PROMPT,
  creator_id: USER,
  created_at: TIME,
  updated_at: TIME,
};

export const presetWithVersion = { ...preset, designated_version: presetVersion };

const question = { role: 'user', content: 'Review this change.' };

export const messagesRequests = {
  captured: {
    summary: 'A messages request as it is',
    value: {
      model: 'local/echo-1',
      max_tokens: 1024,
      temperature: 0.2,
      system: PROMPT,
      messages: [question],
    },
  },
};

export const chatRequests = {
  captured: {
    summary: 'A chat request as it is',
    value: {
      model: 'local/echo-1',
      max_tokens: 1024,
      temperature: 0.2,
      messages: [{ role: 'system', content: PROMPT }, question],
    },
  },
};

export const responsesRequests = {
  captured: {
    summary: 'A responses request as it is',
    value: {
      model: 'local/echo-1',
      max_output_tokens: 1024,
      temperature: 0.2,
      instructions: PROMPT,
      input: 'Review this change.',
    },
  },
};

export const changes = {
  rollBack: { summary: 'Back to an earlier version', value: { designated_version: 1 } },
  disable: { summary: 'Out of use', value: { status: 'disabled' } },
  describe: { summary: 'Other words', value: { name: 'Code reviewer', description: 'For pull requests' } },
};
