/** Provides the API reference with examples of secrets and of the requests that store and copy them. */

export const secret = {
  name: 'stripe_key',
  hosts: ['api.stripe.com'],
  fingerprint: 'sha256:5b7e0b1c5a1c0f0c8b0a6d9e3f2a4c6e8d7b9f1a3c5e7092b4d6f8a1c3e5d7f9',
  created_at: '2026-01-01T00:00:00.000Z',
};

export const newSecrets = {
  stripe: {
    summary: 'A key of Stripe, for its API alone',
    value: { value: 'sk_live_4f81c2d9a7', hosts: ['api.stripe.com'] },
  },
};

export const copies = {
  two: { summary: 'Two secrets of the workspace', value: { names: ['stripe_key', 'github_token'] } },
};
