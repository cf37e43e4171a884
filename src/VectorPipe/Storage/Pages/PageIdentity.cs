using VectorPipe.Storage.Files;

namespace VectorPipe.Storage.Pages;

/// <summary>
/// What a page must say of itself to be believed: a page of another file, place or generation is not this page, however intact.
/// </summary>
/// <param name="FileId">Identity of the file, see <see cref="FileIds.OfFile"/>.</param>
/// <param name="PageNumber">Position in the file, in pages.</param>
/// <param name="Generation">Generation of the index that wrote the page.</param>
internal readonly record struct PageIdentity(ulong FileId, long PageNumber, uint Generation);
