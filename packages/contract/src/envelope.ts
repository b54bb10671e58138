/** The form of every response under `/api` (specification, section 7). `data` is absent if there is none. */
export type Envelope<Data> =
  | { readonly success: true; readonly message: string; readonly data: Data }
  /** `field`: the member of the input that the refusal is about. `changed_fields`: those that were changed elsewhere, separated by commas. */
  | { readonly success: false; readonly message: string; readonly field?: string; readonly changed_fields?: string }

/**
 * Optional request header: the id of the account that the call is for. If the session or access token is of another one, the call is refused
 * with 412, so that a page never acts as an account that has logged in since in the same browser.
 */
export const expectedAccountHeader = 'x-expected-account'

/** Rows a list page holds (specification, section 9). Server and console share this number. */
export const pageSize = 10
