/** Access to Google's models in a project of Google Cloud. */
export interface GoogleAuth {
  /** The address of the project in its region: `…/projects/<project>/locations/<region>`. */
  placeUrl: string;
  /** Returns a token that is valid now. Throws ProviderError. */
  token(): Promise<string>;
}
