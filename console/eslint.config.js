import js from '@eslint/js'
import jsxA11y from 'eslint-plugin-jsx-a11y'
import reactHooks from 'eslint-plugin-react-hooks'
import globals from 'globals'
import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['target', 'node_modules'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [
      ...tseslint.configs.strictTypeChecked,
      ...tseslint.configs.stylisticTypeChecked,
      jsxA11y.flatConfigs.strict,
      reactHooks.configs.flat.recommended,
    ],
    languageOptions: {
      globals: globals.browser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/only-throw-error': 'off',
      // tsconfig's noPropertyAccessFromIndexSignature wants the brackets.
      '@typescript-eslint/dot-notation': 'off',
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Call the hub through api/client.ts.' }],
      'no-restricted-properties': [
        'error',
        { property: 'innerHTML', message: 'What users control is rendered as text.' },
        { property: 'dangerouslySetInnerHTML', message: 'What users control is rendered as text.' },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'What users control is rendered as text.' },
        { selector: "CallExpression[callee.property.name='setAttribute'][arguments.0.value='style']", message: 'The Content-Security-Policy forbids style attributes; use element.style.' },
      ],
    },
  },
  { files: ['build/**/*.mjs', 'eslint.config.js'], languageOptions: { globals: globals.node } },
)
