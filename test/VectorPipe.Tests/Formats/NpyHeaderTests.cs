using System.Text;
using NUnit.Framework;
using VectorPipe.Formats;

namespace VectorPipe.Tests.Formats;

public sealed class NpyHeaderTests
{
    private const string Plain = "{'descr': '<f2', 'fortran_order': False, 'shape': (7, 9), }";

    [TestCase((byte)1, 10)]
    [TestCase((byte)2, 12)]
    [TestCase((byte)3, 12)]
    public void All_versions_are_read(byte major, int preambleBytes)
    {
        (VectorElementType elementType, RowLayout rows) = NpyHeader.Parse(TestBytes.Npy(Plain, major), "x.npy");

        Assert.That(elementType, Is.EqualTo(VectorElementType.Float16));
        Assert.That(rows, Is.EqualTo(new RowLayout(9, 2, 7, preambleBytes + Plain.Length, 0)));
    }

    [TestCase("{'shape':(7,9),'fortran_order':False,'descr':'<f2'}", TestName = "Keys in any order, no white space")]
    [TestCase("{\"descr\": \"<f2\", \"fortran_order\": False, \"shape\": (7, 9)}", TestName = "Double quotes")]
    [TestCase(
        " { 'descr' :\t'<f2' ,\n'fortran_order' : False , 'shape' : ( 7 , 9 , ) , } \n", TestName = "White space and trailing commas")]
    [TestCase("{'descr': '<f2', 'fortran_order': False, 'shape': (7L, 9L), }", TestName = "Long integers of Python 2")]
    public void Descriptions_that_Python_reads_alike_are_read_alike(string description)
    {
        (VectorElementType elementType, RowLayout rows) = NpyHeader.Parse(TestBytes.Npy(description), "x.npy");

        Assert.That((elementType, rows.Count, rows.Dimension), Is.EqualTo((VectorElementType.Float16, 7L, 9)));
    }

    [Test]
    public void The_largest_description_of_version_1_is_read()
    {
        string description = Plain.PadRight(ushort.MaxValue);

        (_, RowLayout rows) = NpyHeader.Parse(TestBytes.Npy(description, major: 3), "x.npy");

        Assert.That(rows.DataOffset, Is.EqualTo(NpyHeader.MaxBytes));
    }

    [TestCase(1L, 1)]
    [TestCase(long.MaxValue, 2147483591)]
    public void An_encoded_header_has_the_form_that_NumPy_writes(long count, int dimension)
    {
        byte[] header = NpyHeader.Encode(VectorElementType.UInt8, new RowLayout(dimension, 1, count, 0, 0));

        Assert.That(header, Has.Length.EqualTo(128));
        Assert.That(header[..10], Is.EqualTo(new byte[] { 0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59, 1, 0, 118, 0 }));
        string text = Encoding.ASCII.GetString(header[10..]);
        Assert.That(
            text, Is.EqualTo($"{{'descr': '|u1', 'fortran_order': False, 'shape': ({count}, {dimension}), }}".PadRight(117) + "\n"));
    }

    [Test]
    public void An_error_shows_unprintable_bytes_as_question_marks()
    {
        Assert.That(
            () => NpyHeader.Parse(TestBytes.Npy("{'descr': \u0001\n"), "x.npy"),
            Throws.TypeOf<VectorFormatException>().With.Message.Contains("\"??\""));
    }
}
