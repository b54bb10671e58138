/** Members of a channel's configuration (specification, section 3). */
export type ConfigField = 'region' | 'ak' | 'sk' | 'user_id' | 'vertex_ai_project_id' | 'vertex_ai_adc'

/** The members of a channel's configuration that are not empty. */
export type ChannelConfig = Readonly<Partial<Record<ConfigField, string>>>

/** What the record of a vendor, its dialects and its signature may know about a channel. */
export interface ChannelFacts {
  /** Without a trailing slash. */
  readonly baseUrl: string
  readonly key: string
  readonly config: ChannelConfig
  /** The channel's further setting (`Vendor.otherLabel`), or its default. */
  readonly other: string
}
