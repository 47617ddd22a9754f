// The one translation unit of te_pch: it exists so that its precompiled header
// does.
