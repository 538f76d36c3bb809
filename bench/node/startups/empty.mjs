// Nothing: what Node.js itself takes to start and to end.
