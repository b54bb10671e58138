/** A store in the form of S3, as an operator names it. Its key is a secret. */
export interface S3Place {
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** Where copies of results are kept. */
export interface FilePlace {
  /** A folder of this server's own. */
  readonly folder: string
  /** Keeps them in place of the folder, which holds only what is being copied then; `null`: there is none. */
  readonly s3: S3Place | null
}
