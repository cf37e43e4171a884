using System.Runtime.InteropServices;
using NUnit.Framework;
using VectorPipe.Indexes;
using VectorPipe.Model;
using VectorPipe.Model.Build;
using VectorPipe.Model.Open;
using VectorPipe.Numerics.Conversion;
using VectorPipe.Numerics.Hashing;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Crash;
using VectorPipe.Tests.Devices;
using VectorPipe.Tests.Faults;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>A small index of clustered vectors in a temporary folder, with its vectors for an oracle.</summary>
internal sealed class TestIndex : IDisposable
{
    private readonly TemporaryFolder _folder = new();

    private TestIndex(DistanceMetric metric, VectorElementType type, int dimension, byte[] rows)
    {
        Metric = metric;
        Type = type;
        Dimension = dimension;
        Rows = rows;
    }

    public string Directory => Path.Combine(_folder.Path, "index");

    public DistanceMetric Metric { get; }

    public VectorElementType Type { get; }

    public int Dimension { get; }

    public byte[] Rows { get; }

    public int RowBytes => Dimension * Type.SizeInBytes();

    public int Count => Rows.Length / RowBytes;

    /// <summary>One key per row; empty if row numbers are the keys.</summary>
    public ulong[] Keys { get; private init; } = [];

    /// <summary>The shape of the key directory.</summary>
    public KeyDirectoryOptions KeyDirectory { get; private init; } = KeyDirectoryOptions.Default;

    /// <summary>The layout of the pages.</summary>
    public IndexLayout Layout { get; private init; }

    /// <summary>Whether pages have room for nodes that are inserted later.</summary>
    public bool WithRoom { get; private init; }

    /// <summary>Bytes of a code.</summary>
    public int CodeBytes { get; private init; }

    /// <summary>The kind of the codes.</summary>
    public CodeKind Code { get; private init; } = CodeKind.Opq;

    /// <summary>The kind of the index.</summary>
    public IndexKind Kind { get; private init; }

    /// <summary>Lists of an IVF index.</summary>
    public int? Lists { get; private init; }

    /// <summary>An IVF index.</summary>
    public static TestIndex BuildLists(
        DistanceMetric metric = DistanceMetric.L2,
        VectorElementType type = VectorElementType.UInt8,
        int count = 3000,
        int dimension = 32,
        int lists = 40,
        int codeBytes = 0,
        ulong[]? keys = null,
        int seed = 1,
        int calibrationQueries = 20)
    {
        var index = new TestIndex(metric, type, dimension, MakeRows(type, count, dimension, seed))
        {
            Kind = IndexKind.Ivf,
            Lists = lists,
            CodeBytes = codeBytes,
            Keys = keys ?? [],
            CalibrationQueries = calibrationQueries,
        };
        index.Take();
        return index;
    }

    public static TestIndex Build(
        DistanceMetric metric = DistanceMetric.L2,
        VectorElementType type = VectorElementType.UInt8,
        int count = 3000,
        int dimension = 32,
        int seed = 1,
        ulong[]? keys = null,
        KeyDirectoryOptions? keyDirectory = null,
        IndexLayout layout = IndexLayout.Merged,
        int codeBytes = 16,
        byte[]? rows = null,
        int calibrationQueries = 20,
        CodeKind code = CodeKind.Opq,
        bool withRoom = false)
    {
        var index = new TestIndex(metric, type, dimension, rows ?? MakeRows(type, count, dimension, seed))
        {
            CodeBytes = codeBytes,
            Code = code,
            CalibrationQueries = calibrationQueries,
            Keys = keys ?? [],
            KeyDirectory = keyDirectory ?? KeyDirectoryOptions.Default,
            Layout = layout,
            WithRoom = withRoom,
        };
        index.Take();
        return index;
    }

    /// <summary>The number of queries for the calibration.</summary>
    public int CalibrationQueries { get; private init; }

    /// <summary>Builds the index again, in its directory.</summary>
    public BuildReport Rebuild() => BuildInto(Directory);

    public BuildOptions Options() => Kind == IndexKind.Ivf
        ? new()
        {
            Metric = Metric,
            Ivf = new IvfBuild { Lists = Lists, Coded = CodeBytes > 0 },
            Tuning = new BuildTuning { CodeBytes = CodeBytes > 0 ? CodeBytes : null },
            Threads = 1,
        }
        : (BuildOptionsTuning.SmallGraph(degree: 24, listSize: 48, CodeBytes) with { Metric = Metric, Threads = 1 }).In(Layout)
        .Tuned(tuning => tuning with { Code = Code, WithRoom = WithRoom });

    public VectorSource Source() => Type switch
    {
        VectorElementType.Float32 => VectorSource.FromMemory<float>(MemoryMarshal.Cast<byte, float>(Rows).ToArray(), Dimension, Keys),
        VectorElementType.Float16 => VectorSource.FromMemory<Half>(MemoryMarshal.Cast<byte, Half>(Rows).ToArray(), Dimension, Keys),
        VectorElementType.UInt8 => VectorSource.FromMemory<byte>(Rows, Dimension, Keys),
        _ => VectorSource.FromMemory<sbyte>(MemoryMarshal.Cast<byte, sbyte>(Rows).ToArray(), Dimension, Keys),
    };

    public VectorIndex Open(DeviceKind device = DeviceKind.Auto, int queriesInFlight = 4) =>
        InFlight.Watch(
            VectorIndex.Open(
                Directory,
                new OpenOptions
                {
                    Device = new DeviceOptions { Kind = device },
                    QueriesInFlight = queriesInFlight,
                    SearchThreads = 1,
                    ExactUpTo = 0,
                }),
            PendingReads.Describe);

    /// <summary>Opens the index; skips a test whose device is not available here, with the reason.</summary>
    public VectorIndex OpenOrIgnore(TestDevice device, int queriesInFlight = 4)
    {
        try
        {
            return VectorIndex.Open(
                Directory, new OpenOptions { Device = device.Options(), QueriesInFlight = queriesInFlight, SearchThreads = 1 });
        }
        catch (DeviceException e) when (device == TestDevice.Uring)
        {
            Assert.Ignore($"io_uring is not available here: {e.Message}");
            throw;
        }
    }

    public string KeysFile => System.IO.Directory.GetFiles(Directory, "keys-*.vp").Single();

    public string NodeFile => System.IO.Directory.GetFiles(Directory, "nodes-*.vp").Single();

    /// <summary>Queries that are not in the index.</summary>
    public byte[] MakeQueries(int count) => MakeRows(Type, count, Dimension, 1, first: Count);

    /// <summary>Keys of the k nearest rows by brute force, with the distance of the last.</summary>
    public (ulong[] Keys, float Last) Nearest(ReadOnlySpan<byte> query, int k)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(k, Count);
        float[] q = ToFloats(query);
        float[] row = new float[Dimension];
        var nearest = new (double Distance, ulong Key)[k];
        int found = 0;
        for (int i = 0; i < Count; i++)
        {
            VectorConversion.ToFloat(Type, Rows.AsSpan(i * RowBytes, RowBytes), row);
            double distance = Distance(q, row);
            if (found == k && distance >= nearest[^1].Distance)
                continue;
            int at = found < k ? found++ : k - 1;
            for (; at > 0 && nearest[at - 1].Distance > distance; at--)
                nearest[at] = nearest[at - 1];
            nearest[at] = (distance, (ulong)i);
        }

        return ([.. nearest.Select(x => x.Key)], (float)nearest[^1].Distance);
    }

    /// <summary>The distance that a score stands for.</summary>
    public double DistanceOf(float score) =>
        Metric == DistanceMetric.L2 ? score : Metric == DistanceMetric.InnerProduct ? -score : 1 - score;

    public void Dispose() => _folder.Dispose();

    /// <summary>Copies the index into its directory.</summary>
    private void Take()
    {
        // Options print only their public members.
        string key = string.Join(
            '|', Options(), Options().Tuning, Layout, KeyDirectory, CalibrationQueries, Type, Dimension, Hash<byte>(Rows),
            Hash<ulong>(Keys));
        BuiltIndexes.CopyTo(Directory, key, directory => BuildInto(directory));
    }

    private BuildReport BuildInto(string directory) =>
        new VectorIndexBuilder(directory, Options(), null, new UnsyncedStorageIo(refuses: false))
        {
            KeyDirectory = KeyDirectory,
            CalibrationQueries = CalibrationQueries,
        }.BuildAsync(Source()).GetAwaiter().GetResult();

    private static ulong Hash<T>(T[] values)
        where T : unmanaged
    {
        var hash = new ContentHash();
        hash.AddAll<T>(values);
        return hash.Value;
    }

    private double Distance(float[] a, float[] b)
    {
        if (Metric == DistanceMetric.L2)
        {
            double l2 = 0;
            for (int i = 0; i < a.Length; i++)
                l2 += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
            return l2;
        }

        double dot = 0, aa = 0, bb = 0;
        for (int i = 0; i < a.Length; i++)
        {
            dot += (double)a[i] * b[i];
            aa += (double)a[i] * a[i];
            bb += (double)b[i] * b[i];
        }

        return Metric == DistanceMetric.InnerProduct ? -dot : 1 - dot / Math.Sqrt(aa * bb);
    }

    private float[] ToFloats(ReadOnlySpan<byte> row)
    {
        float[] values = new float[Dimension];
        VectorConversion.ToFloat(Type, row, values);
        return values;
    }

    private static byte[] MakeRows(VectorElementType type, int count, int dimension, int seed, int first = 0)
    {
        var centres = new Random(seed);
        float[][] clusters = [
            .. Enumerable.Range(0, 40)
            .Select(_ => Enumerable.Range(0, dimension).Select(_ => (float)(centres.NextDouble() * 160 - 80)).ToArray())];
        byte[] rows = new byte[count * dimension * type.SizeInBytes()];
        for (int i = 0; i < count; i++)
        {
            var random = new Random((seed * 7919) + first + i);
            float[] centre = clusters[random.Next(clusters.Length)];
            float scale = 0.5f + (float)random.NextDouble();
            for (int j = 0; j < dimension; j++)
            {
                float value = (centre[j] + (float)(random.NextDouble() + random.NextDouble() - 1) * 40) * (
                    type is VectorElementType.UInt8 ? 1 : scale);
                Store(type, rows, (i * dimension) + j, value);
            }
        }

        return rows;
    }

    private static void Store(VectorElementType type, byte[] rows, int at, float value)
    {
        switch (type)
        {
            case VectorElementType.Float32:
                MemoryMarshal.Cast<byte, float>(rows.AsSpan())[at] = value / 50;
                break;
            case VectorElementType.Float16:
                MemoryMarshal.Cast<byte, Half>(rows.AsSpan())[at] = (Half)(value / 50);
                break;
            case VectorElementType.UInt8:
                rows[at] = (byte)Math.Clamp(value + 128, 0, 255);
                break;
            default:
                rows[at] = (byte)(sbyte)Math.Clamp(value, -128, 127);
                break;
        }
    }
}
