using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Model;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Nodes;

namespace VectorPipe.Building;

/// <summary>The phases of an index without vectors of any kind: a graph without nodes.</summary>
internal sealed class EmptyRecipe : IBuildRecipe
{
    public static EmptyRecipe Instance { get; } = new();

    public PreparedBuild Prepare(BuildRequest request)
    {
        BuildSize vectors = request.Size;
        NodeLayout layout = NodeLayout.Plain(vectors.Type, vectors.Dimension, request.Options.ResolvedGraph.MaxDegree);
        (FileRole Role, long Bytes)[] files =
            IndexFilesWriter.Sizes(layout, merged: null, originals: null, count: 0, request.Split.CodeBytes, request.Keys, CodeKind.Pq);
        var work = new BuildWork { FileOrder = [.. files.Select(file => file.Role)] };
        return new PreparedBuild(work, [new EmptyWritePhase(request, work, layout), new PublishPhase(work, request.Generations)], files);
    }
}
