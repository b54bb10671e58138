/**
 * Types of arguments with which a function is not called by itself, by the reason. The data of such a function pass through others that are
 * called, or it has a row in `rows.ts`, which says how it is called.
 */
export const uncalledTypes: Readonly<Record<string, readonly string[]>> = {
  'A query: the database works, not this thread.': ['Db', 'SharedDeps', 'PlaceQuestion', 'readonly MinuteQuestion[]', 'Engine'],
  'A step of the import with its database; each row is read by the functions of plan-*.ts, which have rows.': [
    ...['Run', 'Env', 'Location', 'OptionDeps', 'WriterDeps', 'Tally', 'Plan<Planned>', 'Planned', 'Tables', 'Report', "Report['tallies']"],
    ...["Pick<Report, 'balances' | 'posted'>", '{ readonly db: Db; readonly seal: Seal; readonly given: string | null }'],
  ],
  'A step of a request that waits for others. What comes and goes passes through the readers and views of relay/wire, which have rows.': [
    ...[
      'Call',
      'Charge',
      'FlatCharge',
      'TryDeps',
      'Waiting',
      'StreamBodyOptions',
      'UpstreamResponse',
      'Deadline',
      'Caller',
      'TokenLimiter',
    ],
    ...[
      "Extract<Answer, { kind: 'stream' }>",
      "Extract<Answer, { kind: 'whole' }>",
      'Promise<PlainReply>',
      'Promise<Result>',
      'Promise<void>',
    ],
    ...['(permit: Permit) => Promise<Result>', '(channel: Channel) => Promise<Tried<Answer>>', 'RoomOptions', 'Signal', 'Limit'],
  ],
  'Made once at the start, of our own clocks, limits and settings.': [
    ...['Clock', "Pick<Clock, 'monotonicMs'>", "Pick<Clock, 'nowMs'>", 'MemoryOptions', 'LimiterDeps', 'CallersDeps', 'TokenCounterDeps'],
    ...['ThrottleRule', 'RateRule', 'MasterKeyPlace', 'readonly FailRule[]', '() => Spool', '() => Settings', '() => number', '() => void'],
    ...['(value: Value) => void', 'AddressesOf', 'RateForm', 'readonly Weight[]', 'Reached', 'of Reached'],
    '{ readonly memoryCost: number; readonly timeCost: number }',
  ],
  'Keys and rows of our own tables.': [
    ...['ErrorCode', 'OptionKey', 'OptionSection', 'OptionRow<Value>', 'OptionControl', 'OptionForm', 'DurationBand'],
    ...[
      'readonly Reliant[]',
      'readonly [en: string, zh: string]',
      'readonly [fallback: string, ...others: string[]]',
      'readonly [number, number]',
    ],
    ...[
      'EndpointSpec<Input, Data>',
      "Pick<Endpoint, 'input'>",
      "Pick<Endpoint, 'data' | 'isFile'>",
      "Pick<Endpoint, 'method' | 'path'>",
      'Nouns',
    ],
    ...[
      'NoInfer<Given>',
      'z.ZodMiniObject<Shape>',
      'z.ZodMiniType<Read, Given>',
      'readonly Name[]',
      '{ readonly noun: string; readonly member: string }',
    ],
    ...['ExceededTimeout', 'Lengths', 'SimpleParameter', 'readonly ChatField[]'],
  ],
  'Builds a dialect or a query of our own records; the functions that it returns are called as members of the table of dialects.': [
    ...[
      'D',
      'Envelope',
      'Passthrough',
      'Reading<Part>',
      'VideosHost',
      'BatchForm',
      'VendorQuery<number>',
      '(order: TaskOrder) => JsonObject',
    ],
    ...['(event: JsonObject) => SoundPiece', '(body: JsonObject, target: Target) => JsonObject', '(value: Json) => boolean', 'StatusForm'],
    ...['(answer: Json) => { readonly found: Found } | { readonly failed: string }', '() => TaskStep<Done>', 'PriceRow', 'of Holds'],
    ...["Pick<Vendor, 'dialects'>", "Pick<Vendor, 'drop'>", "Pick<Dialect, 'lacks'>", "Pick<VendorInterface, 'tasks'>", 'TaskVendor'],
    ...["Pick<Vendor, 'type' | 'name' | 'color' | 'baseUrl'> & Partial<Vendor>", 'string | ((asked: QueryContext) => string)'],
    '{ readonly whole: readonly string[]; readonly used: readonly string[] }',
  ],
  'Numbers and words of our own: nothing in them is long.': [
    ...['readonly (readonly number[])[]', 'readonly number[]', 'number | undefined', 'Made', '{ readonly code: number }', 'Counted'],
    ...["Pick<RedemptionRow, 'status' | 'expired_time'>", "Pick<UserRow, 'quota' | 'aff_quota'>", 'LimitColumns', 'TokenLimits'],
    ...['{ readonly width: number; readonly height: number }', '{ readonly action: TaskAction; readonly model: string }'],
    ...[
      '{ readonly otherwise: number; isPossible(duration: number): boolean }',
      'Factors',
      'Price',
      'Price | null',
      'PriceBasis',
      'FlatPriceKey',
    ],
    ...[
      'LineItem',
      'readonly LineItem[]',
      'ModelLineItem',
      'Map<Rates, ModelLineItem>',
      'ResolvedPrice',
      'BillableParams',
      'CostedChannel',
    ],
  ],
}
