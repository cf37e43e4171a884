using VectorPipe.Building;
using VectorPipe.Building.Layout;
using VectorPipe.Building.Paging;
using VectorPipe.Building.Partitioned;
using VectorPipe.Numerics;
using VectorPipe.Quantization;
using VectorPipe.Searching.Calibrating;
using VectorPipe.Storage;

namespace VectorPipe;

/// <summary>Computes what a build will take from the shape of the data.</summary>
internal sealed class BuildPlanner
{
    // A float component takes about 2.3 times as long as a byte in the blocked kernels (AVX-VNNI against AVX2).
    private const double FloatFactor = 2.3;
    private const double UnitComponents = 128;
    private const double UnitDegree = 64;
    private const double UnitExpansions = 20;

    // Blocks of 16 KiB from all over a file, and long writes, of a virtual SSD that others use too.
    private const double BytesReadPerSecond = 150e6;
    private const double BytesWrittenPerSecond = 400e6;

    // Learning a rotation as well: 3 times as long for 128 components of 32 bytes, 4 times for 384.
    private const double RotationFactor = 4;

    // Points that the quantizer is trained on at most.
    private const int TrainingRows = 65_536;

    // About 92 CPU seconds for a million vectors of 128 bytes on an AMD EPYC; what float vectors take was measured on 25,000 of 384 components.
    private static readonly BuildPlanStep _read = new("read", BuildStage.Read, 0.1, 0.15) { IsParallel = false };
    private static readonly BuildPlanStep _train = new("train", BuildStage.Train, 5, 25) { PointsOf = points => Math.Min(points, TrainingRows) };
    private static readonly BuildPlanStep _reachability = new("graph: reachability", BuildStage.Finish, 0.4, 0) { IsParallel = false };
    private static readonly BuildPlanStep _check = new("graph: check", BuildStage.Finish, 8, 7) { PointsOf = points => Math.Min(points, SelfCheck.DefaultSampleSize) };
    private static readonly BuildPlanStep _pack = new("pack", BuildStage.Pack, 2, 1) { IsParallel = false, GrowsWithDegree = true };
    private static readonly BuildPlanStep _write = new("write", BuildStage.Write, 2, 3) { IsParallel = false };

    private static readonly BuildPlanStep _packMerged = new("pack", BuildStage.Pack, 11, 0);
    private static readonly BuildPlanStep _writeMerged = new("write", BuildStage.Write, 20, 2);
    private static readonly BuildPlanStep _calibrate = new("calibrate", BuildStage.Calibrate, 6000, 4000) { PointsOf = _ => IndexCalibrator.DefaultQueries, IsParallel = false };

    private static readonly BuildPlanStep[] _partitioned =
    [
        _read,
        _train,
        new("graph: partition", BuildStage.Partition, 2, 3),
        new("graph: leaves", BuildStage.Leaves, 12, 14, 1.05),
        new("graph: merge", BuildStage.Merge, 1.5, 2.5, 1.5) { GrowsWithDegree = true },
        new("graph: refine", BuildStage.Refine, 11, 14, 1.4) { GrowsWithDegree = true },
        new("graph: merge", BuildStage.Merge, 2, 10, 1.4) { GrowsWithDegree = true },
        new("graph: repair", BuildStage.Merge, 6, 5, 2) { PointsOf = points => SearchRepair.FirstSearched(points, new PartitionedOptions().RepairRate) },
        _reachability,
        _check,
        _pack,
        _write,
    ];

    private static readonly BuildPlanStep[] _vamana =
    [
        _read,
        _train,
        new("graph: first pass", BuildStage.Leaves, 30, 100),
        new("graph: second pass", BuildStage.Leaves, 35, 115),
        _reachability,
        _check,
        _pack,
        _write,
    ];

    private readonly BuildOptions _options;
    private readonly VectorSource _source;
    private readonly MemorySplit _split;
    private readonly CodeKind _code;
    private readonly PageForm _form;
    private readonly BuildShape _shape;

    /// <param name="options">How to build; checked.</param>
    /// <param name="source">The vectors.</param>
    /// <param name="split">What a vector costs in memory at search time.</param>
    public BuildPlanner(BuildOptions options, VectorSource source, MemorySplit split)
    {
        _options = options;
        _source = source;
        _split = split;
        _code = CodeTrainer.KindFor(options.Code, source.Dimension);
        _form = PageForm.Of(options, source, split);
        _shape = ShapeOf(ThreadBudget.Within(options.MemoryBudget, options.Threads, threads => new MemoryPlan(ShapeOf(threads), options.MemoryBudget).Least));
        Memory = new MemoryPlan(_shape, options.MemoryBudget);
    }

    /// <summary>How the memory is divided.</summary>
    public MemoryPlan Memory { get; }

    /// <summary>The whole plan.</summary>
    /// <param name="keys">How the key directory is laid out.</param>
    public BuildPlan Plan(KeyDirectoryOptions keys)
    {
        long indexBytes = IndexFilesWriter.Sizes(_form.Layout, _form.Merged, _form.Given, _source.Count, _split.CodeBytes, keys, _code).Sum(file => file.Bytes);
        bool isPartitioned = _options.Algorithm == GraphAlgorithm.Partitioned;
        var scratch = new ScratchPlan(Memory, _shape);
        BuildPlanPhase[] phases = _form.Merged is not null ? [.. MergedSteps().Zip(scratch.MergedPhases(), Phase)] : isPartitioned ? [.. _partitioned.Zip(scratch.Phases(), Phase)] : [.. _vamana.Select(step => Phase(step, (0, 0)))];
        phases[0] = WithBytes(phases[0], _source.Count * (_shape.RecordBytes - sizeof(ulong)), 0);
        int write = Array.FindIndex(phases, phase => phase.Name == "write");
        phases[write] = WithBytes(phases[write], 0, indexBytes);
        return new BuildPlan
        {
            Points = _source.Count,
            Dimension = _source.Dimension,
            ElementType = _source.ElementType,
            MemoryBudget = _options.MemoryBudget,
            LeastMemoryBudget = new MemoryPlan(ShapeOf(threads: 1), _options.MemoryBudget).Least,
            Threads = _shape.Threads,
            MemoryBytes = phases.Max(phase => phase.MemoryBytes),
            ScratchBytes = scratch.MostBytes,
            IndexBytes = indexBytes,
            EstimatedSeconds = phases.Sum(phase => phase.EstimatedSeconds),
            Phases = phases,
            Partitions = isPartitioned ? Partitions() : null,
        };
    }

    private BuildShape ShapeOf(int threads)
    {
        VectorForm form = VectorForm.Of(_options.Metric, _source.ElementType, _source.Dimension);
        int recordBytes = _source.Dimension * _source.ElementType.SizeInBytes() + sizeof(ulong);
        long training = CodeTrainer.MemoryBytes(_source.Count, _source.Dimension, _split.CodeBytes, threads, _code);
        return new BuildShape(_source.Count, recordBytes, form, _options.MaxDegree, threads, training, new PartitionedOptions())
        {
            Merged = _form.Merged is { } merged ? NeedsOf(merged) : null,
        };
    }

    private MergedNeeds NeedsOf(MergedShape merged)
    {
        long codes = _source.Count * _split.CodeBytes + QuantizerFormat.ByteLength(_source.Dimension, _split.CodeBytes, _code);
        return new MergedNeeds(merged, MergedFilesWriter.ApplicationsOfNode(_form.Layout, _source.Count), codes + merged.StreamLength(_form.Layout.PageCount(_source.Count)));
    }

    private IEnumerable<BuildPlanStep> MergedSteps() =>
        [.. _partitioned.Where(step => step != _pack && step != _write), _packMerged, _writeMerged, .. _source.Count < IndexCalibrator.LeastVectors ? [] : new[] { _calibrate }];

    private BuildPlanPartitions Partitions()
    {
        int rangeRows = ReverseMerge.RangeRowsOf(_source.Count, _options.MemoryBudget is not null);
        return new BuildPlanPartitions((_source.Count - 1) / _shape.Partitioned.LeafSize + 1, (_source.Count - 1) / rangeRows + 1);
    }

    private BuildPlanPhase Phase(BuildPlanStep step, (long Read, long Written) bytes)
    {
        long memory = step.Name switch
        {
            // The shuffle that ends the one and begins the other holds more, or less.
            "graph: partition" => Math.Max(Memory.TakenBytes(BuildStage.Partition), Memory.TakenBytes(BuildStage.Shuffle)),
            _ => Memory.TakenBytes(step.Stage),
        };
        return WithBytes(new BuildPlanPhase(step.Name, memory, 0, 0, ProcessorSeconds(step)), bytes.Read, bytes.Written);
    }

    // Reads wait and writes go on behind, but nothing here is precise enough to tell them apart.
    private static BuildPlanPhase WithBytes(BuildPlanPhase phase, long read, long written) => phase with
    {
        BytesRead = phase.BytesRead + read,
        BytesWritten = phase.BytesWritten + written,
        EstimatedSeconds = phase.EstimatedSeconds + read / BytesReadPerSecond + written / BytesWrittenPerSecond,
    };

    private double ProcessorSeconds(BuildPlanStep step)
    {
        double distance = _shape.Form.Components / UnitComponents * (_shape.Form.IsFloat ? FloatFactor : 1);
        double us = step.PointsOf(_source.Count) * (step.FixedUs + step.DistanceUs * distance);
        if (step.GrowsWithDegree)
            us *= _options.MaxDegree / UnitDegree;
        if (step.Stage == BuildStage.Refine)
            us *= _shape.Partitioned.RefineExpansions / UnitExpansions;
        if (_code == CodeKind.Opq && step.Stage == BuildStage.Train)
            us *= RotationFactor;
        if (_options.MemoryBudget is not null)
            us *= step.PagedFactor;
        if (_options.Algorithm == GraphAlgorithm.Vamana && step.Stage == BuildStage.Leaves)
            us *= _options.ListSize / 100.0;
        return us / 1e6 / (step.IsParallel ? Math.Min(_shape.Threads, Environment.ProcessorCount) : 1);
    }
}
