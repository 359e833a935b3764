/** Descriptions of a credential's fields, for requests and answers. */
export const NOTES = {
  provider: 'The slug of a provider of the catalog, such as `openai`. It never changes.',
  key: 'The key of the vendor. It is stored encrypted and never shown again. For Azure it may also be the JSON object `{"api_key", "endpoint_url", "api_version"}` as text, whose `api_version` is optional.',
  label: 'The first and last four characters of the key; asterisks for one of fewer than 16 characters.',
  disabled: 'A disabled credential serves no requests.',
  is_fallback: 'Serves after the shared endpoints. Excludes `is_byok_only`.',
  is_required: 'Shared endpoints do not serve the models and API keys that this credential is for.',
  is_byok_only: 'Shared endpoints serve no request of its workspaces. Excludes `is_fallback`.',
  declared_zdr:
    'Your statement whether the account behind the key retains no data. Null: the statement of the endpoint counts. Sluice does not verify it.',
  declared_region:
    'Your statement where the account processes data. Null: the statement of the endpoint counts.',
  base_url:
    "The address that the key is sent to. Null: the vendor's own address. It changes only together with `key`.",
  allowed_models: 'Ids of the only models that it serves. Null: all models of its provider.',
  allowed_api_key_hashes: 'Hashes of the only API keys that use it. Null: all API keys.',
  allowed_user_ids: 'Users whose API keys alone use it. Null: the API keys of all users.',
  sort_order: 'Credentials with lower numbers are tried first.',
  workspace_id:
    'The only workspace that uses it. Null: all workspaces of the organization. It never changes.',
} as const;
