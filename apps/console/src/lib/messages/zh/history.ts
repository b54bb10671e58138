/** 选项和渠道的修改历史，以及文本差异。 */
export const history = {
  'history.title': '修改历史：{name}',
  'history.none': '暂无修改',
  'history.none.text': '此后的每次修改都会列在这里，并可恢复。',
  'history.restore': '恢复为修改前',
  'history.restored': '已恢复',
  'history.hidden': '更换了密钥或其他机密。机密不会保留。',
  'diff.before': '修改前',
  'diff.after': '修改后',
  'diff.empty': '（空）',
  'diff.more': { other: '另有 {count} 项' },
} as const
