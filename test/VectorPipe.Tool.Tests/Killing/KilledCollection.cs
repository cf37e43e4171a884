using System.Globalization;
using NUnit.Framework;
using VectorPipe.Tool.Tests.Infrastructure;

namespace VectorPipe.Tool.Tests.Killing;

/// <summary>A collection whose writer is killed again and again, and what it must hold.</summary>
internal sealed class KilledCollection : IDisposable
{
    private const double WithinGroupsMs = 150;
    private const double WithinCheckpointMs = 20;
    private const double WithinPublicationMs = 4;
    private const double WithinRebuildMs = 1000;

    // What a checkpoint leaves is there in the next rounds, too: longer runs would find no other states.
    private const int MostCheckpoints = 4;

    private readonly TempFolder _folder = new();
    private readonly WriterPlan _plan;
    private readonly int _seed;
    private readonly bool _hasCheckpoints;
    private readonly Random _random;

    // For each caller: the operation that wrote each key, and the last operation that was carried out.
    private readonly Dictionary<string, int>[] _models =
        [.. Enumerable.Range(0, WriterPlan.Callers).Select(_ => new Dictionary<string, int>())];

    private readonly int[] _last = new int[WriterPlan.Callers];

    public KilledCollection(int seed, bool hasCheckpoints)
    {
        _seed = seed;
        _hasCheckpoints = hasCheckpoints;
        _plan = new WriterPlan(seed, hasCheckpoints);
        _random = new Random(seed);
    }

    /// <summary>Operations that were acknowledged so far.</summary>
    public long Acknowledged { get; private set; }

    /// <summary>Operations that were not acknowledged, and were found to be carried out.</summary>
    public int Unacknowledged { get; private set; }

    /// <summary>Rebuilds that ended.</summary>
    public int Rebuilds { get; private set; }

    /// <summary>Checkpoints that ended, as far as the writer told.</summary>
    public int Checkpoints { get; private set; }

    private string Directory => _folder["collection"];

    /// <summary>Lets a writer run until a moment, and kills it.</summary>
    /// <param name="round">Selects the moment: groups of writes, rebuilds and checkpoints take turns.</param>
    public string Kill(int round)
    {
        string firsts = string.Join(',', _last.Select(n => n + 1));
        KillMoment moment = MomentOf(round);
        double delayMs = _random.NextDouble() * moment.MaxDelayMs;
        string verb = _hasCheckpoints ? WriterProgram.CheckpointsVerb : WriterProgram.RebuildsVerb;
        using ToolProcess process = ToolProcess.StartAssembly(
            "VectorPipe.Tool.Tests.dll", verb, Directory, _seed.ToString(CultureInfo.InvariantCulture), firsts);
        bool landed = process.KillAt(moment, delayMs);
        Assert.That(landed, $"the writer ended by itself: {process}");
        int[] before = [.. _last];
        foreach (string line in process.Lines)
            Note(line);
        string acknowledged = string.Join(' ', _last.Zip(before, (to, from) => $"{from + 1}..{to}"));
        return string.Create(
            CultureInfo.InvariantCulture, $"seed {_seed}, killed {delayMs:F1} ms after {moment.Name}; acknowledged {acknowledged}");
    }

    /// <summary>Asserts that every acknowledged operation took effect, and that no other took half of it.</summary>
    public async Task CheckAsync(string context)
    {
        VerifyReport report = await VectorCollection.VerifyAsync(Directory);
        Assert.That(report.Defects, Is.Empty, context);
        var options = new CollectionOptions { Open = new OpenOptions { SearchThreads = 1, DeviceKind = DeviceKind.Portable } };
        await using var collection = await VectorCollection<string>.OpenAsync(Directory, WriterPlan.Schema, options);
        Dictionary<string, int> found = await ReadAsync(collection, context);
        for (int caller = 0; caller < WriterPlan.Callers; caller++)
            CheckCaller(caller, found, context);
        Assert.That(collection.Count, Is.EqualTo(found.Count), context);
        await CheckSearchAsync(collection, found, context);
    }

    public void Dispose() => _folder.Dispose();

    private KillMoment MomentOf(int round) => (round % 3) switch
    {
        _ when _hasCheckpoints => MomentOfCheckpoints(round),
        0 => new KillMoment("a new manifest appears", process => process.Lines.Any() && HasNewManifest(), WithinPublicationMs)
        {
            IsNear = process => process.Lines.Any(),
        },
        1 => new KillMoment("a rebuild", process => process.CountOf(WriterProgram.Rebuilt) > 0, WithinGroupsMs),
        _ => new KillMoment("the first line", process => process.Lines.Any(), WithinGroupsMs),
    };

    // Checkpoints follow each other: after some of them, another one has begun.
    private KillMoment MomentOfCheckpoints(int round)
    {
        int some = 1 + _random.Next(Math.Min(round + 2, MostCheckpoints));
        return (round % 8) switch
        {
            7 => new KillMoment("a generation is begun", _ => System.IO.Directory.GetDirectories(Directory).Length > 1, WithinRebuildMs),
            3 or 5 => new KillMoment(
                $"a new manifest appears after {some} checkpoints", process => HasMade(process, some) && HasNewManifest(),
                WithinPublicationMs)
            {
                IsNear = process => HasMade(process, some),
            },
            _ => new KillMoment($"{some} checkpoints", process => HasMade(process, some), WithinCheckpointMs),
        };
    }

    private bool HasNewManifest() => File.Exists(Path.Combine(Directory, "COLLECTION.tmp"));

    private static bool HasMade(ToolProcess process, int checkpoints) =>
        process.CountOf(WriterProgram.CheckpointMade) >= checkpoints;

    private void Note(string line)
    {
        string[] words = line.Split(' ');
        if (words.Length != 2 || !int.TryParse(words[1], CultureInfo.InvariantCulture, out int number))
            return;
        if (words[0] == WriterProgram.Rebuilt)
        {
            Rebuilds++;
            return;
        }

        if (words[0] == WriterProgram.CheckpointMade)
        {
            Checkpoints++;
            return;
        }

        int caller = int.Parse(words[0], CultureInfo.InvariantCulture);
        Assert.That(number, Is.EqualTo(_last[caller] + 1), "acknowledgements come in order");
        _last[caller] = number;
        _plan.Apply(_models[caller], caller, number);
        Acknowledged++;
    }

    // Every record has the content of the operation that it names; the result is the operation of each key.
    private async Task<Dictionary<string, int>> ReadAsync(VectorCollection<string> collection, string context)
    {
        Dictionary<string, int> found = [];
        await foreach (CollectionRecord<string> record in collection.ScanAsync())
        {
            int n = (int)record.Attributes["operation"].AsInt64();
            Assert.That(found.TryAdd(record.Key, n), $"{record.Key} comes once; {context}");
            if (!record.GetVector<float>().SequenceEqual(_plan.Vector(record.Key, n))
                || !record.Payload.Span.SequenceEqual(_plan.Payload(record.Key, n))
                || !record.Attributes.Equals(WriterPlan.Attributes(record.Key, n)))
                Assert.Fail($"The record of {record.Key} has not the content that operation {n} wrote; {context}");
        }

        return found;
    }

    private void CheckCaller(int caller, Dictionary<string, int> found, string context)
    {
        Dictionary<string, int> own =
            new(found.Where(pair => pair.Key.StartsWith($"{caller}/", StringComparison.Ordinal)));
        var next = new Dictionary<string, int>(_models[caller]);
        _plan.Apply(next, caller, _last[caller] + 1);
        if (AreSame(own, next) && !AreSame(own, _models[caller]))
        {
            _models[caller] = next;
            _last[caller]++;
            Unacknowledged++;
            return;
        }

        if (AreSame(own, _models[caller]))
            return;
        (bool isDeletion, string[] keys) = _plan.Operation(caller, _last[caller] + 1);
        IEnumerable<string> differences = own.Keys.Union(_models[caller].Keys).Where(key => Of(own, key) != Of(_models[caller], key))
            .Select(key => $"{key}: operation {Of(_models[caller], key)} expected, {Of(own, key)} found");
        Assert.Fail(
            $"Caller {caller} has not what was acknowledged, up to operation {_last[caller]}: {string.Join("; ", differences)}. "
            + $"The next {(isDeletion ? "deletes" : "writes")} {string.Join(' ', keys)}. {context}");
    }

    private async Task CheckSearchAsync(VectorCollection<string> collection, Dictionary<string, int> found, string context)
    {
        foreach ((string key, int n) in found.Take(3))
        {
            CollectionResult<string> hits = await collection.SearchAsync(
                _plan.Vector(key, n), 1, new SearchOptions { Mode = SearchMode.Exact }, Include.Vector);
            Assert.That(hits.Select(hit => hit.Key), Is.EqualTo(new[] { key }), context);
        }
    }

    private static int Of(Dictionary<string, int> model, string key) => model.GetValueOrDefault(key);

    private static bool AreSame(Dictionary<string, int> a, Dictionary<string, int> b) =>
        a.Count == b.Count && a.All(pair => b.TryGetValue(pair.Key, out int n) && n == pair.Value);
}
