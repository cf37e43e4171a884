using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The division of an index into files, by its kind and layout: everything that differs between them on disk.</summary>
/// <remarks>Immutable. The schema is that of the shape's own manifest.</remarks>
internal interface IIndexShape
{
    /// <summary>The type of pages that hold original Float32 vectors rounded; null if pages hold vectors unchanged.</summary>
    VectorElementType? Stored { get; }

    /// <summary>The layout of the node file.</summary>
    NodeLayout CreateLayout(IndexSchema schema);

    /// <summary>Pages of the node file, the header not counted.</summary>
    long NodePages(IndexSchema schema);

    /// <summary>Internal ids are below this.</summary>
    long IdCount(IndexSchema schema);

    /// <summary>Whether there is a file of a role. The file of <see cref="FileRole.Vectors"/> may have been dropped.</summary>
    bool HasFile(FileRole role);

    /// <summary>The kind of the pages of a role's file, the header aside.</summary>
    PageKind KindOf(FileRole role);

    /// <summary>Checks a manifest after all of it is read.</summary>
    void Check(string path, IndexSchema schema, Calibration? calibration);

    /// <summary>Opens the check of pages whose checksums are right.</summary>
    /// <param name="manifest">The index's manifest.</param>
    /// <param name="open">Opens a file of the index.</param>
    /// <param name="cancellationToken">Cancels the reading of files that the check needs.</param>
    /// <exception cref="IndexCorruptException">A file that the check needs is damaged.</exception>
    IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken);
}
