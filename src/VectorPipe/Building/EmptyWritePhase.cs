using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Quantization;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Keys;
using VectorPipe.Storage.Manifests;
using VectorPipe.Storage.Nodes;
using VectorPipe.Storage.Pages;

namespace VectorPipe.Building;

/// <summary>Writes the files of an index without vectors, after checking that the source has none.</summary>
internal sealed class EmptyWritePhase(BuildRequest request, BuildWork work, NodeLayout layout) : Phase
{
    public override string Name => "write";

    public override PhaseNeeds Needs(int threads, bool isPaged) => new(MachineModel.WriterBytes);

    public override double Seconds(int threads) => 0.01;

    public override async Task RunAsync(BuildRun run)
    {
        byte[] vector = new byte[request.Size.VectorBytes];
        if (await request.Source.ReadAsync(vector, new ulong[1], run.CancellationToken).ConfigureAwait(false) > 0)
            throw new InvalidVectorException("Expected no vectors, as the source announced, found some.");
        Write(run);
    }

    private void Write(BuildRun run)
    {
        BuildSize vectors = request.Size;

        // The format has a code book for every graph: one of a single vector, which encodes nothing.
        Quantizer quantizer = Quantizer.Train(
            new float[vectors.Dimension], 1, vectors.Dimension, request.Split.CodeBytes, iterations: 1, request.Options.Seed, threads: 1,
            run.CancellationToken);
        work.Schema = new IndexSchema
        {
            Metric = vectors.Metric,
            ElementType = vectors.Type,
            Dimension = vectors.Dimension,
            Count = 0,
            MaxDegree = request.Options.ResolvedGraph.MaxDegree,
            CodeBytes = quantizer.CodeBytes,
            Code = quantizer.Kind,
            EntryPoint = 0,
            BuildListSize = 0,
            Alpha = 0,
            Seed = request.Options.Seed,
            MeanDegree = 0,
        };
        work.IndexId = FileIds.OfIndex(IndexContent.Begin(work.Schema, points: 0, quantizer).Value, run.Target.Generation);
        var writer = new IndexFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io);
        using NodeFileWriter nodes = writer.BeginNodes(layout, count: 0);
        using PagedStreamWriter codes = writer.BeginCodes(length: 0);
        work.Files.Add(nodes.Complete());
        codes.Complete();
        work.Files.Add(codes.Entry);
        (FileEntry keys, work.Keys) = writer.WriteKeys(new KeyDirectoryWriter<uint>(0, request.Keys), run.CancellationToken);
        work.Files.Add(keys);
        work.Files.Add(writer.WriteCodeBook(quantizer));
    }
}
