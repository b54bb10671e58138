/** A regular expression that takes longer than a multiple of its text, and why its text is short. */
export interface BoundedExpression {
  /** Longest text that it gets, in characters. */
  readonly charactersMax: number
  readonly why: string
}

/** Most time for the longest text. */
export const boundedMs = 50

const ownField = { charactersMax: 2_000, why: 'A field of a form in the own browser, which shows no data of others here.' }
const modelName = { charactersMax: 256, why: 'The name of a model; names that are longer are refused or unknown before.' }

/** By the literal as it is written. An expression that can be made linear is made linear instead. */
export const boundedExpressions: Readonly<Record<string, BoundedExpression>> = {
  // Names of models.
  [String.raw`/gemini-2.*image/`]: modelName,
  // Other texts with a limit.
  [String.raw`/(\d+(?:\.\d+)?)(h|ms|m|s)/g`]: { charactersMax: 40, why: 'Longer texts are no durations, and are refused before.' },
  [String.raw`/^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f:.]*:[0-9a-f:.]*)\/\d{1,3}$/i`]: {
    charactersMax: 64,
    why: 'Longer texts are no ranges of addresses, and are refused before.',
  },
  // The console.
  [String.raw`/\s*\n\s*/g`]: ownField,
  [String.raw`/0+$/`]: ownField,
  [String.raw`/^\s*\d{0,15}\s*$/`]: ownField,
  [String.raw`/^[\s\p{Pd}\p{Cf}]+|[\s\p{Pd}\p{Cf}]+$/gu`]: ownField,
  [String.raw`/^[\s.]+|[\s.]+$/g`]: ownField,
  [String.raw`/(\.\d\d\d*?)0+$/`]: ownField,
  [String.raw`/\B(?=(\d{3})+(?!\d))/g`]: { charactersMax: 64, why: 'The digits of a number.' },
}

/** An expression that is made of a text when the program starts or runs. */
export interface ComputedExpression {
  /** As it is for some texts: each is a row like a literal. */
  readonly examples: readonly string[]
  readonly why: string
}

/** Computed expressions by the file, in the order in which they are written. */
export const computedExpressions: Readonly<Record<string, readonly ComputedExpression[]>> = {
  'packages/contract/src/content.ts': [
    { examples: [String.raw`/^(?:"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\)|[^"'()])*$/`], why: 'Made of another expression.' },
    { examples: [String.raw`/(?:"[^"]*"|'[^']*'|\((?:[^()]|\([^()]*\))*\)|[^;"'()])+/g`], why: 'Made of another expression.' },
  ],
  'packages/http1/src/request-head.ts': [{ examples: [String.raw`/[\x80-\xff]/g`], why: 'Made of another expression.' }],
  'apps/server/src/relay/routes.ts': [
    {
      examples: [String.raw`/^POST \/v1beta\/models\/(?<model>.+)$/`, String.raw`/^GET \/v1\/videos\/(?<id>[^/]+)\/content$/`],
      why: 'The routes of our own table.',
    },
  ],
  'apps/server/src/relay/wire/same-events.ts': [
    { examples: [String.raw`/"content"\s*:\s*"/g`], why: 'Names of members of our own.' },
    { examples: [String.raw`/"output_tokens"\s*:\s*(\d{1,15})(?=[\s,}])/g`], why: 'Names of members of our own.' },
  ],
  'packages/vendors/src/core/exact-json.ts': [
    {
      examples: [
        String.raw`/(?:^|"(?<!(?<!\\)(?:\\\\)*\\")[\t\n\r ]*:)[\t\n\r ]*(?:(?<![-+\d.eE])(?:-0|-?(?:\d{16}|\d+(?:\.(?:\d{15}|\d*0(?!\d))|(?:\.\d+)?[eE])))|\[[-+\d.eE,\t\n\r \[]*?(?<![-+\d.eE])(?:-0|-?(?:\d{16}|\d+(?:\.(?:\d{15}|\d*0(?!\d))|(?:\.\d+)?[eE]))))/`,
      ],
      why: 'Made of parts.',
    },
    {
      examples: [
        String.raw`/(?:^|"(?<!(?<!\\)(?:\\\\)*\\")[\t\n\r ]*[:,]|[\]}][\t\n\r ]*,)[-+\d.eE,\t\n\r \[]*?(?<![-+\d.eE])(?:-0|-?(?:\d{16}|\d+(?:\.(?:\d{15}|\d*0(?!\d))|(?:\.\d+)?[eE])))/`,
      ],
      why: 'Made of parts.',
    },
  ],
  'apps/server/src/relay/wire/without-traces.ts': [
    {
      examples: [
        String.raw`/(?<![\w:/.~])(?:~?\/(?:usr|home|tmp)(?:\/[\w.@+=~-]+)+|~?(?:\/[\w.@+=~-]+)+\.(?:py|js|json)\b|[A-Za-z]:\\[\w.@+=~\\ -]+)(?::\d+)?/g`,
      ],
      why: 'Folders and extensions of our own.',
    },
  ],
}
