using System.Collections.Concurrent;
using VectorPipe.Server.Access;
using VectorPipe.Server.Commands;
using VectorPipe.Server.Dashboard.Answers;
using VectorPipe.Server.Sets;

namespace VectorPipe.Server.Dashboard;

/// <summary>Tells the state of all sets.</summary>
/// <remarks>Thread-safe. It keeps what it read of an index until there is another generation: manifests are read once.</remarks>
internal sealed class SetsReader(ServerState server)
{
    private readonly ServerState _server = server;
    private readonly ConcurrentDictionary<long, (long Generation, IndexFacts? Index)> _indexes = new();

    /// <summary>Reads those that a user may read.</summary>
    public SetsAnswer Read(AccessRights rights)
    {
        var rows = new List<SetFacts>();
        var uids = new HashSet<long>();
        foreach (string name in _server.Sets.Names.Order(StringComparer.Ordinal))
        {
            if (_server.Sets.Find(name) is not { } held)
                continue;
            using (held)
            {
                uids.Add(held.Set.Settings.Uid);
                if (rights.MayUse(held.Set.Settings.Name, isWrite: false))
                    rows.Add(ReadOne(held.Set));
            }
        }

        foreach (long uid in _indexes.Keys)
        {
            if (!uids.Contains(uid))
                _indexes.TryRemove(uid, out _);
        }

        return new SetsAnswer(_server.Options.TargetRecall, rows);
    }

    private SetFacts ReadOne(VectorSet set)
    {
        CollectionStatus status = set.Collection.Status;
        return new SetFacts
        {
            Name = SetNames.ToText(set.Settings.LocalName),
            Elements = status.Count,
            Dimension = set.Settings.Dimension,
            InputDimension = set.Settings.ExpectedDimension,
            Metric = VectorReads.NameOf(set.Settings.Metric),
            MemoryBytes = status.MemoryBytes,
            Waiting = status.Waiting,
            WaitingBytes = status.WaitingBytes,
            Generation = status.Generation,
            Checkpoints = status.Checkpoints,
            Index = IndexOf(set, status.Generation),
            Device = status.DeviceName,
            IsRebuilding = status.IsRebuilding,
            IsReadOnly = status.IsReadOnly,
            WriteError = status.WriteError?.Message,
            MaintenanceError = status.RebuildError?.Message,
        };
    }

    private IndexFacts? IndexOf(VectorSet set, long generation)
    {
        if (_indexes.TryGetValue(set.Settings.Uid, out (long Generation, IndexFacts? Index) known) && known.Generation == generation)
            return known.Index;
        IndexInfo? info = generation == 0 ? null : VectorCollection.Inspect(set.Collection.Directory).Index;
        IndexFacts? index = info is null ? null : ReadIndex(info);
        _indexes[set.Settings.Uid] = (generation, index);
        return index;
    }

    private IndexFacts ReadIndex(IndexInfo info)
    {
        IndexCalibrationPoint[] reached =
            [.. info.Calibration.Where(point => point.Recall >= _server.Options.TargetRecall).OrderBy(point => point.Reads)];
        IndexCalibrationPoint? chosen = reached.Length == 0 ? null : reached[0];
        string kind = info.Kind == IndexKind.Graph ? "graph" : "ivf";
        return new IndexFacts(kind, info.Count, info.PageSize, info.DiskBytes, chosen?.Reads, chosen?.Recall);
    }
}
