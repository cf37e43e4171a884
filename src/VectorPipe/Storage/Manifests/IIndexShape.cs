using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>How the files of an index are divided, by its kind and layout: everything that differs between them on disk.</summary>
/// <remarks>Immutable. The schema is that of the shape's own manifest.</remarks>
internal interface IIndexShape
{
    /// <summary>In which form pages hold vectors that were given as float32; null for the form in which they were given.</summary>
    VectorElementType? Stored { get; }

    /// <summary>The layout of the node file.</summary>
    /// <exception cref="VectorPipeException">A vector does not fit into a page.</exception>
    NodeLayout CreateLayout(IndexSchema schema);

    /// <summary>Pages of the node file, the header not counted.</summary>
    long NodePages(IndexSchema schema);

    /// <summary>Internal ids are below this.</summary>
    long IdCount(IndexSchema schema);

    /// <summary>Whether there is a file of a role. One of <see cref="FileRole.Vectors"/> may have been dropped.</summary>
    bool HasFile(FileRole role);

    /// <summary>What the pages of a role's file are, the header aside.</summary>
    PageKind KindOf(FileRole role);

    /// <summary>Checks what a manifest says, once all of it is read.</summary>
    /// <param name="path">The manifest, for errors.</param>
    /// <param name="schema">The schema.</param>
    /// <param name="calibration">The calibration; null if there is none.</param>
    /// <exception cref="IndexCorruptException">Something is out of its range.</exception>
    void Check(string path, IndexSchema schema, Calibration? calibration);

    /// <summary>Opens the check of pages whose checksums are right.</summary>
    /// <param name="manifest">Of the index.</param>
    /// <param name="open">Opens a file of the index.</param>
    /// <param name="cancellationToken">Cancels reading what pages are held against.</param>
    /// <exception cref="IndexCorruptException">What pages are held against is damaged.</exception>
    IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken);
}
