/** A stylesheet that is imported as text. */
declare module '*.min.css' {
  const text: string;
  export default text;
}
