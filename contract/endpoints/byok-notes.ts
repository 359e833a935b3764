/** Descriptions of a credential's fields, for requests and answers. */
export const NOTES = {
  provider: 'The slug of a provider of the catalog, such as `openai`. It never changes.',
  key: 'The secret key at the vendor. It is stored encrypted and never shown again. For Azure it may also be the JSON object `{"api_key", "endpoint_url", "api_version"}` as text, whose `api_version` is optional.',
  label: 'The first and last four characters of the key, or `...` if it has fewer than 20 characters.',
  disabled: 'A disabled credential serves no requests.',
  is_fallback: 'True: the credential is tried after the shared endpoints. `is_byok_only` must then be false.',
  is_required:
    'True: requests that this credential covers, by model and API key, never use shared endpoints.',
  is_byok_only:
    'True: no request in its workspaces uses shared endpoints, not even one that this credential does not cover. `is_fallback` must then be false.',
  declared_zdr:
    "Your statement that the account behind the key retains no data (zero data retention, ZDR), which Sluice does not verify. Null: the endpoint's own statement applies.",
  declared_region:
    "Your statement of where the account processes data. Null: the endpoint's own statement applies.",
  base_url:
    "The address that the key is sent to. Null: the vendor's own address. It changes only together with `key`.",
  allowed_models: 'Ids of the only models that the credential serves. Null: all models of its provider.',
  allowed_api_key_hashes: 'Hashes of the only API keys that use the credential. Null: all API keys.',
  allowed_user_ids: 'The only users whose API keys use the credential. Null: all users.',
  sort_order: 'Credentials with lower numbers are tried first.',
  workspace_id:
    'The only workspace that uses the credential. Null: all workspaces of the organization. It never changes.',
} as const;
