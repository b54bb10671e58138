/** The form of every answer under `/api` (specification, section 7). `data` is absent if there is none. */
export type Envelope<Data> =
  | { readonly success: true; readonly message: string; readonly data: Data }
  | { readonly success: false; readonly message: string }

/** Rows a list page holds (specification, section 9). Server and console share this number. */
export const pageSize = 10
