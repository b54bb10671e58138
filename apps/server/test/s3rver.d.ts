// The package has no types of its own.
declare module '@20minutes/s3rver' {
  interface Options {
    readonly port: number
    readonly address: string
    readonly silent: boolean
    readonly directory: string
    readonly configureBuckets: ReadonlyArray<{ readonly name: string; readonly configs: readonly string[] }>
  }

  class S3rver {
    constructor(options: Options)
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }

  export = S3rver
}
