/** Paths of models whose path is not their name in lower case (cloud.baidu.com, "ERNIE models: API list", read 2026-11-22). */
const paths: Readonly<Record<string, string>> = {
  'ernie-4.0': 'completions_pro',
  'ernie-4.0-8k': 'completions_pro',
  'ernie-bot-4': 'completions_pro',
  'ernie-bot': 'completions',
  'ernie-3.5-8k': 'completions',
  'ernie-bot-turbo': 'eb-instant',
  'ernie-lite-8k-0922': 'eb-instant',
  'ernie-lite-8k-0308': 'ernie-lite-8k',
  'ernie-speed': 'ernie_speed',
  'ernie-speed-8k': 'ernie_speed',
  'ernie-bot-8k': 'ernie_bot_8k',
  'ernie-4.0-8k-latest': 'completions_adv_pro',
  'ernie-4.0-8k-preview': 'completions_adv_pro',
  'ernie-functions-8k': 'ernie-func-8k',
  'ernie-character-8k': 'ernie-char-8k',
  'ernie-speed-appbuilder': 'ai_apaas',
  'bloomz-7b': 'bloomz_7b1',
  'bge-large-zh': 'bge_large_zh',
  'bge-large-en': 'bge_large_en',
  'tao-8k': 'tao_8k',
}

const root = '/rpc/2.0/ai_custom/v1/wenxinworkshop'

export function pathOf(group: 'chat' | 'embeddings', model: string): string {
  const name = model.toLowerCase()
  return `${root}/${group}/${encodeURIComponent(Object.hasOwn(paths, name) ? (paths[name] ?? name) : name)}`
}
