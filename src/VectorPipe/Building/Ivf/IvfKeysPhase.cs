using VectorPipe.Building.Phases;
using VectorPipe.Building.Writing;
using VectorPipe.Storage.Files;

namespace VectorPipe.Building.Ivf;

/// <summary>Writes the key directory.</summary>
internal sealed class IvfKeysPhase(IvfBuildSize shape, IvfWork work) : WorkPhase
{
    public override string Name => "keys";

    public override PhaseNeeds Needs(int threads, bool isPaged) =>
        new(shape.QuantizerBytes + (MachineModel.KeyBytes * shape.Count) + shape.Largest.StreamLength + MachineModel.WriterBytes);

    public override double Seconds(int threads) => shape.Vectors.Seconds(shape.Count, 0.3, 0);

    public override void Run(BuildRun run)
    {
        var writer = new IndexFilesWriter(run.Target.Directory, work.IndexId, run.Target.Generation, run.Target.Io);
        (FileEntry file, work.Keys) = writer.WriteKeys(work.KeyDirectory!, run.CancellationToken);
        work.Files.Add(file);
        work.KeyDirectory = null;
    }
}
