/** A regular expression that takes longer than a multiple of its text, and why its text is short. */
export interface BoundedExpression {
  /** Longest text that it gets, in characters. */
  readonly charactersMax: number
  readonly why: string
}

/** Most time for the longest text. */
export const boundedMs = 50

const vendorWords = { charactersMax: 2_000, why: 'A message of a vendor, which is cut to this length before it is classified.' }
const operator = { charactersMax: 2_000, why: 'An argument or a variable of the operator, who would only stop the own command.' }
const ownField = { charactersMax: 2_000, why: 'A field of a form in the own browser, which shows no data of others here.' }
const modelName = { charactersMax: 256, why: 'The name of a model; names that are longer are refused or unknown before.' }

/** By the literal as it is written. An expression that can be made linear is made linear instead. */
export const boundedExpressions: Readonly<Record<string, BoundedExpression>> = {
  // Messages of vendors.
  [String.raw`/signature.*thinking|thinking.*signature/i`]: vendorWords,
  [String.raw`/context (?:window|length)|maximum context|tokens? .* exceed/i`]: vendorWords,
  [String.raw`/token count .*exceeds the maximum|exceeds? the (?:model's )?(?:context|maximum number of tokens)/i`]: vendorWords,
  [String.raw`/model .* not found|try pulling it first/i`]: vendorWords,
  [String.raw`/(?:exceed\w*|longer than) (?:the |max )?(?:available )?(?:max )?context|prompt (?:is )?too long/i`]: vendorWords,
  [String.raw`/context window|too long|exceeds? .*token/i`]: vendorWords,
  // Bun writes letters of other scripts in `String.raw` as escapes.
  '/(?:剩余额度|remain(?:ing)? quota)\\s*[:：]\\s*[＄$￥¥]?\\s*(?:0\\.0*)?[1-9]/i': vendorWords,
  [String.raw`/\n([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt)\b[^\n]*)\s*$/`]: vendorWords,
  // Names of models.
  [String.raw`/gemini-2.*image/`]: modelName,
  [String.raw`/gemini-3\.[1-6].*(?:flash|lite)|gemini-3-flash/`]: modelName,
  [String.raw`/:.*$/`]: modelName,
  // Other texts with a limit.
  [String.raw`/=+$/`]: { charactersMax: 4, why: 'Only the end of base64 that we have written: at most two signs.' },
  [String.raw`/\+[^@]*(?=@)/`]: { charactersMax: 254, why: 'An address of mail, which the contract limits.' },
  [String.raw`/^https?:\/\/([^/?#]+)(.*)$/i`]: {
    charactersMax: 2_000,
    why: 'The target of a request, whose line has no line feed, so that the match cannot fail late.',
  },
  // The operator.
  [String.raw`/^([\w!#$%&'*+.^` + '`' + String.raw`|~-]+)\s*=\s*(.*)$/`]: operator,
  [String.raw`/^([^:@/]*)(?::(.*))?@tcp\(([^)]+)\)\/([^?]*)/`]: operator,
  [String.raw`/\?.*$/`]: operator,
  [String.raw`/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g`]: { charactersMax: 2_000, why: 'The page of our own build.' },
  // The console.
  [String.raw`/\s*\n\s*/g`]: ownField,
  [String.raw`/0+$/`]: ownField,
  [String.raw`/^\s*\d{0,15}\s*$/`]: ownField,
  [String.raw`/(?:\/?#)?\/*$/`]: ownField,
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
  'apps/server/src/relay/wire/without-traces.ts': [
    {
      examples: [
        String.raw`/(?<![\w:/.~])(?:~?\/(?:usr|home|tmp)(?:\/[\w.@+=~-]+)+|~?(?:\/[\w.@+=~-]+)+\.(?:py|js|json)\b|[A-Za-z]:\\[\w.@+=~\\ -]+)(?::\d+)?/g`,
      ],
      why: 'Folders and extensions of our own.',
    },
  ],
}
