namespace VectorPipe.Searching.Index;

/// <summary>Throws unless bytes are the page that was asked for, unharmed.</summary>
/// <param name="page">Number of the page, from 0 behind its file's header.</param>
/// <param name="bytes">A whole page.</param>
/// <exception cref="IndexCorruptException">They are not.</exception>
internal unsafe delegate void PageVerifier(uint page, byte* bytes);
