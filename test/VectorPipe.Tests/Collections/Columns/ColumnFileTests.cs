using NUnit.Framework;
using VectorPipe.Collections.Attributes;
using VectorPipe.Collections.Columns;
using VectorPipe.Filters.Binding;
using VectorPipe.Storage.Files;
using VectorPipe.Storage.Pages;
using VectorPipe.Storage.Records;
using VectorPipe.Tests.Collections.Attributes;
using VectorPipe.Tests.Crash;

namespace VectorPipe.Tests.Collections.Columns;

public sealed class ColumnFileTests
{
    private const ulong Identity = 77;

    private static readonly CollectionSchema _schema = new CollectionSchema
    {
        Dimension = 2,
        Metric = DistanceMetric.L2,
        Attributes = [.. Enum.GetValues<AttributeType>().Select(type => new AttributeDefinition($"a{type}", type))],
    }.Validated();

    private static readonly AttributeDefinition[] _definitions = [.. _schema.Attributes];

    private static readonly IStorageIo _io = new UnsyncedStorageIo(refuses: false);

    private string _directory = null!;

    [SetUp]
    public void CreateDirectory() => _directory = Directory.CreateTempSubdirectory("vectorpipe-columns-").FullName;

    [TearDown]
    public void DeleteDirectory() => Directory.Delete(_directory, recursive: true);

    [Test]
    public void What_is_written_is_read([Values(1, 64, 1000, 4097)] int rows, [Values(0, 1, 130)] int more)
    {
        CollectionColumns written = Columns(rows, seed: rows);
        FileEntry entry = ColumnFile.Write(_directory, written, Identity, 3, _io);
        using ColumnFile file = ColumnFile.Open(_io, _directory, entry, Identity);
        CollectionColumns read = file.Load(_definitions, (uint)rows, (uint)(rows + more), CancellationToken.None);
        Assert.That(written.Copy((uint)(rows + more)).FindDifference(read), Is.Null);

        // It may be changed like any other.
        CollectionColumns copy = read.Copy((uint)(rows + more));
        copy.Remove(0);
        copy.TryAdd(0, new AttributeCodec(_schema).Encode(new AttributeSet { ["aStringSet"] = AttributeValue.StringSet("new") }));
        copy.Seal();
        BoundFilter bound = Filter.Contains("aStringSet", "new").Bind(_schema);
        Assert.That(copy.Match(bound, CancellationToken.None).Count, Is.EqualTo(1));
        Assert.That(read.Match(bound, CancellationToken.None).Count, Is.Zero);
    }

    [Test]
    public void A_value_that_differs_is_found([Values] AttributeType type)
    {
        var codec = new AttributeCodec(_schema);
        var random = new Random(5);
        AttributeValue value = RandomRecords.NextValue(random, type), other;
        do
            other = RandomRecords.NextValue(random, type);
        while (Encode(other).AsSpan().SequenceEqual(Encode(value)));
        CollectionColumns left = With(value), right = With(other);
        Assert.That(left.FindDifference(right), Does.Contain($"a{type}").And.Contain("node 69"));
        Assert.That(left.FindDifference(With(null)), Does.Contain($"a{type}").And.Contain("node 69"));
        Assert.That(left.FindDifference(With(value)), Is.Null);

        byte[] Encode(AttributeValue of) => codec.Encode(new AttributeSet { [$"a{type}"] = of });

        CollectionColumns With(AttributeValue? of)
        {
            var columns = new CollectionColumns(_definitions, 100);
            columns.TryAdd(69, of is { } given ? Encode(given) : []);
            columns.Seal();
            return columns;
        }
    }

    [Test]
    public void Files_of_other_rows_or_another_schema_are_refused()
    {
        FileEntry entry = ColumnFile.Write(_directory, Columns(100, seed: 1), Identity, 3, _io);
        using ColumnFile file = ColumnFile.Open(_io, _directory, entry, Identity);
        AssertRefused(_definitions, 101, "columns of 101 rows");
        AssertRefused(_definitions[1..], 100, $"{_definitions.Length - 1} columns");
        AssertRefused([.. _definitions.Reverse()], 100, "a column of StringSet");
        Assert.That(
            () => ColumnFile.Open(_io, _directory, entry, Identity + 1),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains(entry.Name));

        void AssertRefused(AttributeDefinition[] definitions, uint rows, string what) => Assert.That(
            () => file.Load(definitions, rows, 200, CancellationToken.None),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains(what).And.Message.Contains(entry.Name));
    }

    [TestCase(1)]
    [TestCase(2, Category = "Heavy")]
    [TestCase(3, Category = "Heavy")]
    [TestCase(4, Category = "Heavy")]
    public void Other_bytes_under_valid_checksums_are_columns_or_refused(int seed)
    {
        FileEntry entry = ColumnFile.Write(_directory, Columns(150, seed), Identity, 3, _io);
        byte[] stream;
        using (var whole = new VerifiedStream(_io, _directory, entry, Identity, length: null))
        {
            stream = new byte[whole.Length];
            whole.Read(0, stream, default);
        }

        var random = new Random(seed);
        BoundFilter[] filters =
        [
            Filter.Parse("aBoolean == true or aInt64 > 3").Bind(_schema), Filter.Parse("aString == 'x' or exists aGuid").Bind(_schema),
            Filter.Parse("aStringSet contains_any ('a', 'b') or aDouble < 1").Bind(_schema),
        ];
        int refused = 0;
        for (int round = 0; round < 500; round++)
        {
            byte[] mutated = [.. stream];
            for (int left = random.Next(1, 4); left > 0; left--)
                mutated[random.Next(mutated.Length)] = (byte)random.Next(256);
            int length = round % 10 == 0 ? random.Next(1, mutated.Length) : mutated.Length;
            FileEntry other = Write(mutated.AsSpan(0, length));
            using ColumnFile file = ColumnFile.Open(_io, _directory, other, Identity);
            try
            {
                CollectionColumns columns = file.Load(_definitions, 150, 200, CancellationToken.None);
                foreach (BoundFilter filter in filters)
                    Assert.That(columns.Match(filter, CancellationToken.None).Count, Is.LessThanOrEqualTo(columns.Count));
                columns.Copy(300).Seal();
            }
            catch (IndexCorruptException e)
            {
                refused++;
                Assert.That(e.Message, Does.Contain(other.Name).And.Contain("expected"));
            }
        }

        Assert.That(refused, Is.InRange(100, 490));
    }

    [Test]
    public void A_file_that_is_cut_is_refused_when_it_is_opened()
    {
        FileEntry entry = ColumnFile.Write(_directory, Columns(1000, seed: 1), Identity, 3, _io);
        using (FileStream file = File.OpenWrite(Path.Combine(_directory, entry.Name)))
            file.SetLength(file.Length - 1);
        Assert.That(
            () => ColumnFile.Open(_io, _directory, entry, Identity),
            Throws.TypeOf<IndexCorruptException>().With.Message.Contains(entry.Name));
    }

    private FileEntry Write(ReadOnlySpan<byte> bytes)
    {
        string path = Path.Combine(_directory, "columns-000004.vp");
        File.Delete(path);
        using var writer = new PagedStreamWriter(path, FileRole.Columns, Identity, 4, length: null, _io);
        writer.Write(bytes);
        writer.Complete();
        return writer.Entry;
    }

    private static CollectionColumns Columns(int rows, int seed)
    {
        var random = new Random(seed);
        var codec = new AttributeCodec(_schema);
        var columns = new CollectionColumns(_definitions, (uint)rows);
        for (uint row = 0; row < rows; row++)
        {
            if (random.Next(8) > 0)
                Assert.That(columns.TryAdd(row, codec.Encode(RandomRecords.NextSet(random, _schema))), Is.True);
        }

        columns.Seal();
        return columns;
    }
}
