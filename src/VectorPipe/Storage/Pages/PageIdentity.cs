using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>The identity that a page states: an intact page with another identity is rejected.</summary>
/// <param name="FileId">Identity of the file (<see cref="FileIds.OfFile"/>).</param>
/// <param name="PageNumber">Position in the file, in pages.</param>
/// <param name="Generation">Generation of the index that wrote the page.</param>
internal readonly record struct PageIdentity(ulong FileId, long PageNumber, uint Generation);
