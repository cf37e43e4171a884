using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Storage.Manifests;

/// <summary>The plain layout of a graph: every node with its own links.</summary>
internal sealed class PlainShape : IIndexShape
{
    public static PlainShape Instance { get; } = new();
    public VectorElementType? Stored => null;

    public NodeLayout CreateLayout(IndexSchema schema) => NodeLayout.Plain(schema.ElementType, schema.Dimension, schema.MaxDegree);

    public long NodePages(IndexSchema schema) => CreateLayout(schema).PageCount(schema.Count);

    public long IdCount(IndexSchema schema) => schema.Count;

    public bool HasFile(FileRole role) => role is FileRole.Nodes or FileRole.Keys or FileRole.Codes or FileRole.CodeBook;

    public PageKind KindOf(FileRole role) => role switch
    {
        FileRole.Nodes => PageKind.PlainNodes,
        FileRole.Keys => PageKind.KeyBucket,
        _ => PageKind.Stream,
    };

    public void Check(string path, IndexSchema schema, Calibration? calibration)
    {
        if (schema.CodeBytes == 0)
            throw new IndexCorruptException(path, "expected a valid code size, found 0");
        if (calibration is not null)
            CalibrationSection.Check(path, calibration, isLists: false);
    }

    public IPageCheck OpenCheck(Manifest manifest, Func<FileEntry, PageFileReader> open, CancellationToken cancellationToken) =>
        new GraphPageCheck(manifest.Schema);
}
