/** Provides example interns and bodies for the API reference. */

export const internExample = {
  id: '5e0a7c52-6f2e-4f0c-9d83-1b6f5f0a4c7e',
  name: 'Release notes',
  description: 'Writes the notes of each release.',
  instructions: null,
  model: 'openai/gpt-5.1',
  status: 'running' as const,
  progress: null,
  hostname: 'intern-7.hosts.example.com',
  last_failure_message: null,
  vault_id: 'b7d1f1d4-2f57-4b0e-8a0d-6a3f9c1e2d45',
  attached_vault_id: null,
  workspace_id: '0b0f4a3e-6f0f-4f57-8a55-3a0a2f0f9c11',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-02T00:00:00.000Z',
};

/** An intern with an attached vault of another intern. */
export const borrowerExample = {
  ...internExample,
  attached_vault_id: 'd0c3a1b9-4e6f-4c1d-9b7a-2f8e5d6c7b8a',
};

/** An intern without a report from its host. */
export const newInternExample = {
  ...internExample,
  model: null,
  status: 'queued' as const,
  hostname: null,
  updated_at: internExample.created_at,
};

export const creations = {
  plain: {
    summary: 'An intern with a vault of its own',
    value: { name: 'Release notes', description: 'Writes the notes of each release.' },
  },
  borrowing: {
    summary: 'An intern that may also use the secrets of another intern',
    value: { name: 'Release check', vault_id: 'd0c3a1b9-4e6f-4c1d-9b7a-2f8e5d6c7b8a' },
  },
};

export const changes = {
  model: { summary: 'Another model', value: { model: 'openai/gpt-5.1' } },
  clear: { summary: 'No instructions any more', value: { instructions: null } },
};

export const deletions = {
  plain: { summary: 'As published clients send it', value: { acknowledge_workspace_loss: false } },
};

export const reports = {
  running: {
    summary: 'The intern runs',
    value: { status: 'running', hostname: 'intern-7.hosts.example.com' },
  },
  provisioning: {
    summary: 'The host is being made',
    value: {
      status: 'provisioning',
      progress: { step_label: 'Installing packages', step_number: 2, total_steps: 5 },
    },
  },
  failed: {
    summary: 'It could not be started',
    value: { status: 'failed', last_failure_message: 'The disk is full.' },
  },
};

export const keyExample = {
  id: 43,
  hash: '3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b',
  name: 'Release notes',
  label: 'sk-slc-abc...wxyz',
  disabled: false,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
  expires_at: '2030-01-01T00:00:00.000Z',
  last_used_at: null,
  creator_user_id: 'user_2b8XQ1mZr7KcW4tYp0LdVn3E',
  external_user: null,
  workspace_id: internExample.workspace_id,
  limit: 20,
  limit_remaining: 20,
  limit_reset: 'monthly' as const,
  include_byok_in_limit: false,
  usage: 0,
  usage_daily: 0,
  usage_weekly: 0,
  usage_monthly: 0,
  byok_usage: 0,
  byok_usage_daily: 0,
  byok_usage_weekly: 0,
  byok_usage_monthly: 0,
};
